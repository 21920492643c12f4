import { numberAt } from './bytes-at.ts'
import type { ImageSize } from './image-size.ts'

/** ITU-T T.81, B.1 and B.2.2: segments with their lengths, until the first frame header. */
export function readJpegSize(bytes: Uint8Array): ImageSize | undefined {
  if (numberAt(bytes, 0, 2) !== 0xffd8) return undefined
  let at = 2
  while (bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0
    if (marker === 0xff) at += 1
    else if (isFrame(marker)) {
      return { width: numberAt(bytes, at + 7, 2), height: numberAt(bytes, at + 5, 2) }
    } else if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xda)) return undefined
    else at += 2 + Math.max(2, numberAt(bytes, at + 2, 2))
  }
  return undefined
}

/** SOF0 to SOF15, among which are DHT, JPG and DAC. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}
