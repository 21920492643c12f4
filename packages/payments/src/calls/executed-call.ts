import type { Authorization, Hex } from '@farebox/ledger'
import { toFunctionSelector } from 'viem'
import { transferSelector, transferTerms } from './transfer-call.ts'

/** The call that executed an authorization, in the data of its transaction. */
export type ExecutedCall = {
  /** In hexadecimal without 0x: `r` and `s` of a key's signature, or the bytes of a wallet's. */
  readonly signature: string
  /** The place in the data where its arguments end. */
  readonly end: number
}

const walletSelector = toFunctionSelector(
  'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)',
)
const wordDigits = 64

/**
 * Finds the call with the terms of an authorization, alone or in a group. The places are exact: a payer
 * chooses the signature, and could write anything else into it.
 */
export function findExecutedCall(
  data: Hex,
  authorization: Authorization,
): ExecutedCall | undefined {
  const terms = transferTerms(authorization)
  const digits = transferSelector.length - 2 + terms.length
  const byKey = data.indexOf(transferSelector.slice(2) + terms)
  if (byKey !== -1) {
    const v = byKey + digits
    const end = v + 3 * wordDigits
    return { signature: data.slice(v + wordDigits, end), end }
  }
  const byWallet = data.indexOf(walletSelector.slice(2) + terms)
  if (byWallet === -1) return undefined
  const length = byWallet + digits + wordDigits
  const start = length + wordDigits
  const bytes = Number(`0x${data.slice(length, start)}`)
  return {
    signature: data.slice(start, start + 2 * bytes),
    end: start + Math.ceil(bytes / 32) * wordDigits,
  }
}
