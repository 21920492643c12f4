import type { Authorization, Hex } from '@farebox/ledger'
import { stringToBytes } from 'viem'
import { bytesToHex, hexToBytes, wordOf } from '../chain/hex.ts'
import { keccak256 } from '../signature/keccak256.ts'

/**
 * Versioned: another preimage gives another nonce, which could pay a refund a second time. The tags
 * must never change for existing payments, so the second keeps an old word.
 */
const singleTag = bytesToHex(keccak256(stringToBytes('farebox:refund:v1')))
const batchedTag = bytesToHex(keccak256(stringToBytes('farebox:merged-refund:v1')))

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
  return hashWords([singleTag, BigInt(chainId), asset, from, nonce])
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
  return hashWords([batchedTag, BigInt(chainId), asset, payer, BigInt(sequence)])
}

function hashWords(values: readonly (Hex | bigint)[]): Hex {
  return bytesToHex(keccak256(hexToBytes(`0x${values.map(wordOf).join('')}`)))
}
