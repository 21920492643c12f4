import type { Hex } from '@farebox/ledger'
import secp256k1 from 'secp256k1'
import { privateKeyToAddress } from 'viem/accounts'
import { hexToBytes, lowerHex, parseHexOf } from '../chain/hex.ts'
import type { KeySignature } from './key-signature.ts'

/** Signs digests with a key of this process, natively where `signatureBackend` is. */
export type PrivateKeySigner = {
  readonly address: Hex
  sign(digest: Uint8Array): KeySignature
}

/** `undefined` when the text is not a secp256k1 private key. */
export function createPrivateKeySigner(privateKey: Hex): PrivateKeySigner | undefined {
  const hex = parseHexOf(32, privateKey)
  if (hex === undefined) return undefined
  const key = hexToBytes(hex)
  if (!secp256k1.privateKeyVerify(key)) return undefined
  return {
    address: lowerHex(privateKeyToAddress(hex)),
    sign(digest) {
      const { signature, recid } = secp256k1.ecdsaSign(digest, key)
      return { compact: signature, recovery: recid === 0 ? 0 : 1 }
    },
  }
}
