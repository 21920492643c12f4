import { requireBytes } from '../vocabulary/require-argument.ts'
import type { ImageSize } from './image-size.ts'
import { readAvifSize } from './read-avif-size.ts'
import { readGifSize } from './read-gif-size.ts'
import { readJpegSize } from './read-jpeg-size.ts'
import { readPngSize } from './read-png-size.ts'
import { readWebpSize } from './read-webp-size.ts'

const readers = [readPngSize, readJpegSize, readGifSize, readWebpSize, readAvifSize]

/**
 * Reads the size of a PNG, JPEG, GIF, WebP or AVIF image from its first bytes; `undefined` for
 * other bytes, and if the header ends after them. Of several sizes in a header, such as a GIF's
 * screen and its first frame, it returns the larger one, since a decoder may use either.
 */
export function imageSize(bytes: Uint8Array): ImageSize | undefined {
  const file = requireBytes('bytes', bytes)
  for (const read of readers) {
    const size = read(file)
    if (size !== undefined) return size.width > 0 && size.height > 0 ? size : undefined
  }
  return undefined
}
