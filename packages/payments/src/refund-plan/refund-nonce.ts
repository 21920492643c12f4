import type { Authorization, Hex } from '@farebox/ledger'
import { encodeAbiParameters, keccak256, parseAbiParameters, stringToHex } from 'viem'

/**
 * Versioned: another preimage is another nonce, and could pay a refund a second time. They must
 * never change for payments that exist.
 */
const singleTag = keccak256(stringToHex('farebox:refund:v1'))
const mergedTag = keccak256(stringToHex('farebox:merged-refund:v1'))

const single = parseAbiParameters('bytes32, uint256, address, address, bytes32')
const merged = parseAbiParameters('bytes32, uint256, address, address, uint256')

/**
 * The EIP-3009 nonce of a payment's refund: keccak256(abi.encode(tag, chainId, asset, payer, payment
 * nonce)). It follows from the chain alone, so that a lost or restored database cannot refund twice:
 * the token lets each nonce pass once.
 */
export function refundNonce({
  chainId,
  asset,
  from,
  nonce,
}: Pick<Authorization, 'chainId' | 'asset' | 'from' | 'nonce'>): Hex {
  return keccak256(encodeAbiParameters(single, [singleTag, BigInt(chainId), asset, from, nonce]))
}

/** The nonce of a transfer that pays several refunds of one payer, its `sequence`-th of that kind. */
export function batchedRefundNonce({
  chainId,
  asset,
  payer,
  sequence,
}: {
  readonly chainId: number
  readonly asset: Hex
  readonly payer: Hex
  readonly sequence: number
}): Hex {
  const values = [mergedTag, BigInt(chainId), asset, payer, BigInt(sequence)] as const
  return keccak256(encodeAbiParameters(merged, values))
}
