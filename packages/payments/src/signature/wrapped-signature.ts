import type { Hex } from '@farebox/ledger'
import { decodeAbiParameters, parseAbiParameters } from 'viem'
import { lowerHex } from '../chain/hex.ts'

/** The signature of a wallet that may not be deployed yet, with its factory (ERC-6492). */
export type WrappedSignature = { readonly factory: Hex; readonly signature: Hex }

/** https://eips.ethereum.org/EIPS/eip-6492 */
const suffix = '6492649264926492649264926492649264926492649264926492649264926492'
const content = parseAbiParameters('address factory, bytes callData, bytes signature')

/** Whether it may deploy its wallet. */
export function isWrapped(signature: Hex): boolean {
  return signature.endsWith(suffix)
}

/** Unwraps an ERC-6492 signature: null for any other, `malformed` when it only looks like one. */
export function unwrapSignature(signature: Hex): WrappedSignature | 'malformed' | null {
  if (!isWrapped(signature)) return null
  try {
    const [factory, , inner] = decodeAbiParameters(content, `0x${signature.slice(2, -64)}`)
    return { factory: lowerHex(factory), signature: lowerHex(inner) }
  } catch {
    return 'malformed'
  }
}
