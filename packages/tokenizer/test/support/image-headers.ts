import type { ImageSize } from '../../src/images/image-size.ts'

/** The bytes of an image as a `data:` URL. */
export function urlOf(bytes: Uint8Array): string {
  return `data:image/any;base64,${Buffer.from(bytes).toString('base64')}`
}

/** The header of a PNG. */
export function pngUrl({ width, height }: ImageSize): string {
  const bytes = Buffer.alloc(33)
  bytes.write('\x89PNG\r\n\x1a\n', 'latin1')
  bytes.writeUInt32BE(13, 8)
  bytes.write('IHDR', 12)
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return urlOf(bytes)
}

/** The header of a GIF with a color table, a comment and a first frame. */
export function gifUrl(screen: ImageSize, frame: ImageSize): string {
  const sizeOf = ({ width, height }: ImageSize): readonly number[] => [
    ...[width & 255, width >> 8],
    ...[height & 255, height >> 8],
  ]
  const table = [0, 0, 0, 255, 255, 255]
  const comment = [0x21, 0xfe, 2, 0x2c, 0x2c, 0]
  const start = [...Buffer.from('GIF89a'), ...sizeOf(screen), 0x80, 0, 0]
  return urlOf(
    Uint8Array.from([...start, ...table, ...comment, 0x2c, 0, 0, 0, 0, ...sizeOf(frame), 0]),
  )
}

/** A JPEG until its frame header, with segments of metadata before it. */
export function jpeg({ width, height }: ImageSize, metadata: readonly Uint8Array[]): Uint8Array {
  const word = (value: number): readonly number[] => [value >> 8, value & 255]
  const parts = metadata.map((bytes) =>
    Buffer.concat([Buffer.from([0xff, 0xe1, ...word(bytes.length + 2)]), bytes]),
  )
  const frame = [0xff, 0xff, 0xc2, ...word(17), 8, ...word(height), ...word(width), 3]
  return Buffer.concat([Buffer.from([0xff, 0xd8]), ...parts, Buffer.from(frame)])
}
