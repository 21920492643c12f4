import { asciiAt, numberAt } from './bytes-at.ts'
import type { ImageSize } from './image-size.ts'

/** PNG, third edition, sections 5.2 and 11.2.1: `IHDR` is the first chunk. */
export function readPngSize(bytes: Uint8Array): ImageSize | undefined {
  if (numberAt(bytes, 0, 4) !== 0x89504e47 || numberAt(bytes, 4, 4) !== 0x0d0a1a0a) return undefined
  if (asciiAt(bytes, 12, 4) !== 'IHDR') return undefined
  return { width: numberAt(bytes, 16, 4), height: numberAt(bytes, 20, 4) }
}
