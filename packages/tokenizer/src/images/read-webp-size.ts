import { asciiAt, littleNumberAt } from './bytes-at.ts'
import type { ImageSize } from './image-size.ts'

/** RFC 9649, section 2, with the headers of RFC 6386, section 9.1, and of WebP Lossless. */
export function readWebpSize(bytes: Uint8Array): ImageSize | undefined {
  if (asciiAt(bytes, 0, 4) !== 'RIFF' || asciiAt(bytes, 8, 4) !== 'WEBP') return undefined
  switch (asciiAt(bytes, 12, 4)) {
    case 'VP8X':
      return { width: littleNumberAt(bytes, 24, 3) + 1, height: littleNumberAt(bytes, 27, 3) + 1 }
    case 'VP8L':
      return bytes[20] === 0x2f ? losslessSize(littleNumberAt(bytes, 21, 4)) : undefined
    case 'VP8 ':
      if (littleNumberAt(bytes, 23, 3) !== 0x2a019d) return undefined
      return {
        width: littleNumberAt(bytes, 26, 2) & 0x3fff,
        height: littleNumberAt(bytes, 28, 2) & 0x3fff,
      }
    default:
      return undefined
  }
}

function losslessSize(bits: number): ImageSize | undefined {
  if (Number.isNaN(bits)) return undefined
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}
