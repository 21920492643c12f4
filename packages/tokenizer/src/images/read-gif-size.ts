import { asciiAt, littleNumberAt } from './bytes-at.ts'
import type { ImageSize } from './image-size.ts'

/** GIF 89a, sections 17 to 20: the screen, or the first frame where that is larger. */
export function readGifSize(bytes: Uint8Array): ImageSize | undefined {
  if (!/^GIF8[79]a$/.test(asciiAt(bytes, 0, 6))) return undefined
  let at = 13 + colorTableBytes(bytes[10] ?? 0)
  while (bytes[at] === 0x21) at = endOfBlocks(bytes, at + 2)
  if (bytes[at] !== 0x2c) return undefined
  const right = littleNumberAt(bytes, at + 1, 2) + littleNumberAt(bytes, at + 5, 2)
  const bottom = littleNumberAt(bytes, at + 3, 2) + littleNumberAt(bytes, at + 7, 2)
  return {
    width: Math.max(littleNumberAt(bytes, 6, 2), right),
    height: Math.max(littleNumberAt(bytes, 8, 2), bottom),
  }
}

function colorTableBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0
}

function endOfBlocks(bytes: Uint8Array, start: number): number {
  let at = start
  for (let length = bytes[at] ?? 0; length > 0; length = bytes[at] ?? 0) at += length + 1
  return at + 1
}
