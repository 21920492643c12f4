import { asciiAt, numberAt } from './bytes-at.ts'
import type { ImageSize } from './image-size.ts'

/** Boxes that contain boxes, and where in them these begin. */
const containers: Readonly<Record<string, number>> = { meta: 12, iprp: 8, ipco: 8 }

/**
 * AVIF: the largest `ispe` property (ISO/IEC 23008-12, 6.5.3), since a file may have thumbnails and
 * tiles besides. The header must end within the bytes.
 */
export function readAvifSize(bytes: Uint8Array): ImageSize | undefined {
  if (asciiAt(bytes, 4, 4) !== 'ftyp' || !/avi[fs]/.test(asciiAt(bytes, 8, 32))) return undefined
  const found = { width: 0, height: 0 }
  let at = 0
  let end = bytes.length
  while (at < end) {
    const length = numberAt(bytes, at, 4)
    const type = asciiAt(bytes, at + 4, 4)
    const inside = containers[type]
    if (type === 'ispe') {
      found.width = Math.max(found.width, numberAt(bytes, at + 12, 4))
      found.height = Math.max(found.height, numberAt(bytes, at + 16, 4))
    }
    if (inside !== undefined) {
      end = at + length
      at += inside
    } else at += length >= 8 ? length : Number.NaN
  }
  return end <= bytes.length && found.width > 0 && at === end ? found : undefined
}
