import { createRequire } from 'node:module'
import type { Hex } from '@farebox/ledger'
import secp256k1 from 'secp256k1'
import { recoverPublicKey } from 'viem'
import { bytesToHex } from '../chain/hex.ts'
import { keccak256 } from './keccak256.ts'
import { formatKeySignature, type KeySignature } from './key-signature.ts'

/** Recovers who signed a digest: an address in lower case; `undefined` for an invalid signature. */
export type RecoverSigner = (
  digest: Uint8Array,
  signature: KeySignature,
) => Promise<Hex | undefined>

/**
 * Which code recovers signatures on this machine. `native` is the secp256k1 addon, which ships
 * prebuilt for Linux and Windows on x64 and macOS on arm64; elsewhere `javascript` does the same about
 * thirty times slower. (By itself the package would silently fall back to `elliptic`.)
 */
export function signatureBackend(): 'native' | 'javascript' {
  try {
    createRequire(import.meta.url)('secp256k1/bindings.js')
    return 'native'
  } catch {
    return 'javascript'
  }
}

/** The fastest recovery available on this machine. */
export function createSignerRecovery(
  backend: 'native' | 'javascript' = signatureBackend(),
): RecoverSigner {
  return backend === 'native' ? recoverNatively : recoverInJavascript
}

async function recoverNatively(
  digest: Uint8Array,
  { compact, recovery }: KeySignature,
): Promise<Hex | undefined> {
  try {
    return addressOf(secp256k1.ecdsaRecover(compact, recovery, digest, false))
  } catch {
    return undefined
  }
}

async function recoverInJavascript(
  digest: Uint8Array,
  signature: KeySignature,
): Promise<Hex | undefined> {
  try {
    const publicKey = await recoverPublicKey({
      hash: digest,
      signature: formatKeySignature(signature),
    })
    return addressOf(Buffer.from(publicKey.slice(2), 'hex'))
  } catch {
    return undefined
  }
}

/** The last 20 bytes of the hash of an uncompressed public key without its first byte. */
function addressOf(publicKey: Uint8Array): Hex {
  return bytesToHex(keccak256(publicKey.subarray(1)).subarray(12))
}
