import { requireText } from '../vocabulary/require-argument.ts'
import { dataUrlBytes } from './data-url-bytes.ts'
import type { ImageSize } from './image-size.ts'
import { imageSize } from './read-image-size.ts'

/** Bytes in which most headers end, and in which a JPEG with large metadata does. */
const headerBytes = [4 << 10, 1 << 20]

/**
 * The size of the image in a base64 `data:` URL; `undefined` for other URLs, which are not fetched,
 * and for what is not a PNG, JPEG, GIF, WebP or AVIF image. Reads at most a mebibyte.
 */
export function imageSizeOfUrl(url: string): ImageSize | undefined {
  requireText(url, 'url')
  for (const most of headerBytes) {
    const bytes = dataUrlBytes(url, most)
    if (bytes === undefined) return undefined
    const size = imageSize(bytes)
    if (size !== undefined || bytes.length < most) return size
  }
  return undefined
}
