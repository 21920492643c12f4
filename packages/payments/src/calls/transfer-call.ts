import type { Hex } from '@farebox/ledger'
import { toFunctionSelector } from 'viem'
import { wordOf } from '../chain/hex.ts'

/** The selector of the call that takes a key's signature. */
export const transferSelector: Hex = toFunctionSelector(
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

/** The terms of a transfer, as the data of its call encodes them. */
export function transferTerms({
  from,
  to,
  value,
  validAfter,
  validBefore,
  nonce,
}: Omit<SignedTransferCall, 'asset' | 'signature'>): string {
  return [from, to, value, BigInt(validAfter), BigInt(validBefore), nonce].map(wordOf).join('')
}

/** The token call that executes a signed transfer. Anyone may make it. */
export function transferCall(transfer: SignedTransferCall): {
  readonly to: Hex
  readonly data: Hex
} {
  const { signature } = transfer
  const [r, s, v] = [signature.slice(2, 66), signature.slice(66, 130), signature.slice(130, 132)]
  return {
    to: transfer.asset,
    data: `${transferSelector}${transferTerms(transfer)}${v.padStart(64, '0')}${r}${s}`,
  }
}
