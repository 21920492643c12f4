import { createKeccak } from 'hash-wasm'

const hasher = await createKeccak(256)

/** The Keccak-256 hash of bytes: 32 bytes. Ten times faster than in JavaScript. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return hasher.init().update(bytes).digest('binary')
}
