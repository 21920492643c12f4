import type { Hex } from '@farebox/ledger'
import { parseHex } from '../chain/hex.ts'

/** ERC-6492 signatures hold the call that deploys their wallet; no genuine signature is longer. */
const maxSignatureLength = 2 + 2 * 4_096

/** A signature in hexadecimal; undefined for other text, or if it is longer than any. */
export function parseSignature(text: unknown): Hex | undefined {
  const signature = parseHex(text)
  const isSignature =
    signature !== undefined &&
    signature.length % 2 === 0 &&
    signature.length >= 4 &&
    signature.length <= maxSignatureLength
  return isSignature ? signature : undefined
}
