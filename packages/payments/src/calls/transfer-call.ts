import type { Hex } from '@farebox/ledger'
import { toFunctionSelector } from 'viem'
import { wordOf } from '../chain/hex.ts'

const selector = toFunctionSelector(
  'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
)

/** A transfer that a key signed, with the 65 bytes r, s, v of its signature. */
export type SignedTransferCall = {
  readonly asset: Hex
  readonly from: Hex
  readonly to: Hex
  readonly value: bigint
  readonly validAfter: number
  readonly validBefore: number
  readonly nonce: Hex
  readonly signature: Hex
}

/** The token call that executes a signed transfer. Anyone may make it. */
export function transferCall(transfer: SignedTransferCall): {
  readonly to: Hex
  readonly data: Hex
} {
  const { from, to, value, validAfter, validBefore, nonce, signature } = transfer
  const times = [BigInt(validAfter), BigInt(validBefore)]
  const terms = [from, to, value, ...times, nonce].map(wordOf).join('')
  const [r, s, v] = [signature.slice(2, 66), signature.slice(66, 130), signature.slice(130, 132)]
  return { to: transfer.asset, data: `${selector}${terms}${v.padStart(64, '0')}${r}${s}` }
}
