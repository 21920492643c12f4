/** The bytes of a key, in one place for all that still hold them. */
export function createSharedBytes(): (key: string, bytes: Uint8Array) => Uint8Array {
  const held = new Map<string, WeakRef<ArrayBufferLike>>()
  const unheld = new FinalizationRegistry((key: string) => {
    if (held.get(key)?.deref() === undefined) held.delete(key)
  })
  return function shared(key, bytes) {
    // Small bytes may be part of a pool.
    if (bytes.buffer.byteLength !== bytes.length) return bytes
    const known = held.get(key)?.deref()
    if (known !== undefined) return new Uint8Array(known)
    held.set(key, new WeakRef(bytes.buffer))
    unheld.register(bytes.buffer, key)
    return bytes
  }
}
