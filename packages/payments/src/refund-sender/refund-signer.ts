import type { Hex } from '@farebox/ledger'
import secp256k1 from 'secp256k1'
import { privateKeyToAddress } from 'viem/accounts'
import type { RefundSigner } from '../chain/chain.ts'
import { hexToBytes, lowerHex, parseHexOf } from '../chain/hex.ts'
import type { PaymentNetwork } from '../chain/network.ts'
import { authorizationDigests } from '../signature/authorization-digest.ts'
import { formatKeySignature } from '../signature/key-signature.ts'

export type TreasurySigner = RefundSigner & {
  /** Signs the cancellation of a refund's nonce, so that the refund can never be executed. */
  signCancel(nonce: Hex): Promise<Hex>
}

/**
 * Signs with the treasury's key, but only transfers and cancellations of the network's USDC from the
 * treasury: no transaction, no message, no other token. The key never leaves the closure.
 *
 * @throws {RefundSignerError} `invalid_key` when `privateKey` is not a secp256k1 private key.
 */
export function createRefundSigner(options: {
  readonly privateKey: Hex
  readonly network: PaymentNetwork
}): TreasurySigner {
  const key = parseKey(options.privateKey)
  const treasury = lowerHex(privateKeyToAddress(options.privateKey))
  const digests = authorizationDigests(options.network)

  function sign(digest: Uint8Array): Hex {
    const { signature, recid } = secp256k1.ecdsaSign(digest, key)
    return formatKeySignature({ compact: signature, recovery: recid === 0 ? 0 : 1 })
  }

  return {
    treasury,
    async sign(refund) {
      if (lowerHex(refund.from) !== treasury) {
        throw new RefundSignerError('not_ours', `${refund.from} is not the treasury`)
      }
      if (lowerHex(refund.asset) !== options.network.usdc) {
        throw new RefundSignerError('not_ours', `${refund.asset} is not the network's USDC`)
      }
      return sign(digests.transfer(refund))
    },
    async signCancel(nonce) {
      return sign(digests.cancel(treasury, nonce))
    },
  }
}

function parseKey(privateKey: Hex): Uint8Array {
  const hex = parseHexOf(32, privateKey)
  const key = hex === undefined ? undefined : hexToBytes(hex)
  if (key === undefined || !secp256k1.privateKeyVerify(key)) {
    throw new RefundSignerError('invalid_key', "The treasury's key is not a secp256k1 private key")
  }
  return key
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
