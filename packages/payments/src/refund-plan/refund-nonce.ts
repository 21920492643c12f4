import type { Authorization, Hex } from '@farebox/ledger'
import { encodeAbiParameters, keccak256, parseAbiParameters, stringToHex } from 'viem'

/**
 * Versioned: another preimage gives another nonce, which could pay a refund a second time. The tags
 * must never change for existing payments, so the second keeps an old word.
 */
const singleTag = keccak256(stringToHex('farebox:refund:v1'))
const batchedTag = keccak256(stringToHex('farebox:merged-refund:v1'))

const single = parseAbiParameters('bytes32, uint256, address, address, bytes32')
const batched = parseAbiParameters('bytes32, uint256, address, address, uint256')

/**
 * The EIP-3009 nonce of a payment's refund: keccak256(abi.encode(tag, chainId, asset, payer, payment
 * nonce)). It is derived from the chain alone, so that a lost or restored database cannot refund
 * twice: the token accepts each nonce once.
 */
export function refundNonce({
  chainId,
  asset,
  from,
  nonce,
}: Pick<Authorization, 'chainId' | 'asset' | 'from' | 'nonce'>): Hex {
  return keccak256(encodeAbiParameters(single, [singleTag, BigInt(chainId), asset, from, nonce]))
}

/** The nonce of the `sequence`-th transfer that pays several small refunds of one payer. */
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
  const values = [batchedTag, BigInt(chainId), asset, payer, BigInt(sequence)] as const
  return keccak256(encodeAbiParameters(batched, values))
}
