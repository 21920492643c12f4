import type { Hex } from '@farebox/ledger'
import type { RefundSigner } from '../chain/chain.ts'
import { lowerHex } from '../chain/hex.ts'
import type { PaymentNetwork } from '../chain/network.ts'
import { authorizationDigests } from '../signature/authorization-digest.ts'
import { formatKeySignature } from '../signature/key-signature.ts'
import { createKeySigner, type KeySigner } from '../signature/key-signer.ts'
import type { SigningKey } from '../signature/signing-key.ts'

export type TreasurySigner = RefundSigner & {
  /** Signs the cancellation of a refund's nonce, so that the refund can never be executed. */
  signCancel(nonce: Hex): Promise<Hex>
}

/**
 * Signs with the treasury's key, but only transfers and cancellations of the network's USDC from the
 * treasury: no transaction, no message, no other token. A private key never leaves the closure.
 *
 * @throws {RefundSignerError} `invalid_key` when `key` is not a secp256k1 private key.
 */
export function createRefundSigner(options: {
  readonly key: SigningKey
  readonly network: PaymentNetwork
}): TreasurySigner {
  const signer = createTreasuryKeySigner(options.key)
  const { address: treasury } = signer
  const digests = authorizationDigests(options.network)

  return {
    treasury,
    async sign(refund) {
      if (lowerHex(refund.from) !== treasury) {
        throw new RefundSignerError('not_ours', `${refund.from} is not the treasury`)
      }
      if (lowerHex(refund.asset) !== options.network.usdc) {
        throw new RefundSignerError('not_ours', `${refund.asset} is not the network's USDC`)
      }
      return formatKeySignature(await signer.sign(digests.transfer(refund)))
    },
    async signCancel(nonce) {
      return formatKeySignature(await signer.sign(digests.cancel(treasury, nonce)))
    },
  }
}

/** @throws {RefundSignerError} `invalid_key` when `key` is not a secp256k1 private key. */
export function createTreasuryKeySigner(key: SigningKey): KeySigner {
  const signer = createKeySigner(key)
  if (signer !== undefined) return signer
  throw new RefundSignerError('invalid_key', "The treasury's key is not a secp256k1 private key")
}

/** The key is invalid, or the treasury does not sign this. */
export class RefundSignerError extends Error {
  override readonly name = 'RefundSignerError'
  readonly code: 'invalid_key' | 'not_ours'
  constructor(code: 'invalid_key' | 'not_ours', sentence: string) {
    super(sentence)
    this.code = code
  }
}
