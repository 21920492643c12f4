import type { Hex } from '@farebox/ledger'
import { bytesToHex, hexToBytes } from '../chain/hex.ts'

/** An ECDSA signature over secp256k1 in its canonical form: low s (EIP-2). */
export type KeySignature = {
  /** r and s, 64 bytes. */
  readonly compact: Uint8Array
  readonly recovery: 0 | 1
}

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/**
 * Reads 65 bytes r, s, v with v of 0, 1, 27 or 28, and moves s into the lower half, which is the same
 * signature to every verifier; the token rejects the upper half. `undefined` for anything else, such
 * as a contract wallet's signature.
 */
export function parseKeySignature(signature: Hex): KeySignature | undefined {
  if (signature.length !== 132) return undefined
  const bytes = hexToBytes(signature)
  const v = recoveryOf(bytes[64])
  if (v === undefined) return undefined
  const s = BigInt(`0x${signature.slice(66, 130)}`)
  const compact = bytes.slice(0, 64)
  if (s <= order / 2n) return { compact, recovery: v }
  if (s >= order) return undefined
  compact.set(hexToBytes(`0x${(order - s).toString(16).padStart(64, '0')}`), 32)
  return { compact, recovery: v === 0 ? 1 : 0 }
}

/** The 65 bytes r, s, v that the token accepts, with v of 27 or 28. */
export function formatKeySignature({ compact, recovery }: KeySignature): Hex {
  const bytes = new Uint8Array(65)
  bytes.set(compact)
  bytes[64] = 27 + recovery
  return bytesToHex(bytes)
}

function recoveryOf(v: number | undefined): 0 | 1 | undefined {
  if (v === 0 || v === 27) return 0
  return v === 1 || v === 28 ? 1 : undefined
}
