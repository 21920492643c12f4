/**
 * The bytes of a key, in one place for all that still hold them: many readers of a large answer use its
 * memory once.
 */
export function createSharedBytes(): (key: string, bytes: Uint8Array) => Uint8Array {
  const held = new Map<string, WeakRef<ArrayBufferLike>>()
  const unheld = new FinalizationRegistry<string>((key) => {
    if (held.get(key)?.deref() === undefined) held.delete(key)
  })
  return function shared(key, bytes) {
    const { buffer, byteLength } = bytes
    // Small bytes may be part of a pool.
    if (buffer.byteLength !== byteLength) return bytes
    const known = held.get(key)?.deref()
    if (known?.byteLength === byteLength) return new Uint8Array(known)
    held.set(key, new WeakRef(buffer))
    unheld.register(buffer, key)
    return bytes
  }
}
