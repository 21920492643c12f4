import type { Hex } from '@farebox/ledger'
import type { PaymentNetwork } from '../chain/network.ts'
import { type ClaimEntry, channelDigests } from '../channel/channel-digests.ts'
import { createTreasuryKeySigner } from '../refund-sender/refund-signer.ts'
import { formatKeySignature } from '../signature/key-signature.ts'
import type { SigningKey } from '../signature/signing-key.ts'

/** What a refund of a channel returns, at most; its nonce makes it valid once. */
export type RefundTerms = {
  readonly channelId: Hex
  readonly nonce: bigint
  readonly amount: bigint
}

/** Signs for the receiver of payment channels. */
export type ChannelAuthorizer = {
  /** The `receiverAuthorizer` of the channels that it can claim from. Lower-case hexadecimal. */
  readonly address: Hex
  signClaims(entries: readonly ClaimEntry[]): Promise<Hex>
  signRefund(terms: RefundTerms): Promise<Hex>
}

/**
 * Signs with the treasury's key, but only claims and refunds of the network's channel contract. A
 * private key never leaves the closure.
 *
 * @throws {RefundSignerError} `invalid_key` when `key` is not a secp256k1 private key.
 */
export function createChannelAuthorizer(options: {
  readonly key: SigningKey
  readonly network: PaymentNetwork
}): ChannelAuthorizer {
  const signer = createTreasuryKeySigner(options.key)
  const digests = channelDigests(options.network.chainId)
  const sign = async (digest: Uint8Array): Promise<Hex> =>
    formatKeySignature(await signer.sign(digest))
  return {
    address: signer.address,
    signClaims: (entries) => sign(digests.claimBatch(entries)),
    signRefund: ({ channelId, nonce, amount }) => sign(digests.refund(channelId, nonce, amount)),
  }
}
