import type { Hex } from '@farebox/ledger'
import { encodeFunctionData, parseAbi } from 'viem'

const tokenAbi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
])

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
  const data = encodeFunctionData({
    abi: tokenAbi,
    functionName: 'transferWithAuthorization',
    args: [
      from,
      to,
      value,
      BigInt(validAfter),
      BigInt(validBefore),
      nonce,
      Number.parseInt(signature.slice(130, 132), 16),
      `0x${signature.slice(2, 66)}`,
      `0x${signature.slice(66, 130)}`,
    ],
  })
  return { to: transfer.asset, data }
}
