import { expect, test } from 'vitest'
import { imageSize, imageSizeOfUrl } from '../../src/index.ts'
import { gifUrl, jpeg, pngUrl, urlOf } from '../support/image-headers.ts'
import { seeded } from '../support/seeded.ts'

/** Whole images, as browsers' feature tests use them. */
const tiny = {
  png: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  gif: 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7',
  webp: 'UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA',
  webpLossless: 'UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==',
}
const avif =
  'AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUIAAADybWV0YQAAAAAAAAAoaGRscgAAAAAAAAAAcGljdAAAAAAAAAAAAAAAAGxpYmF2aWYAAAAADnBpdG0AAAAAAAEAAAAeaWxvYwAAAABEAAABAAEAAAABAAABGgAAAB0AAAAoaWluZgAAAAAAAQAAABppbmZlAgAAAAABAABhdjAxQ29sb3IAAAAAamlwcnAAAABLaXBjbwAAABRpc3BlAAAAAAAAAAIAAAACAAAAEHBpeGkAAAAAAwgICAAAAAxhdjFDgQ0MAAAAABNjb2xybmNseAACAAIAAYAAAAAXaXBtYQAAAAAAAAABAAEEAQKDBAAAACVtZGF0EgAKCBgANogQEAwgMg8f8D///8WfhwB8+ErK42A='

test.each(Object.entries(tiny))('%s: one pixel', (_, base64) => {
  expect(imageSizeOfUrl(`data:image/any;base64,${base64}`)).toEqual({ width: 1, height: 1 })
})

test('avif: the largest of its sizes', () => {
  const bytes = Uint8Array.from(Buffer.from(avif, 'base64'))
  expect(imageSize(bytes)).toEqual({ width: 2, height: 2 })
  for (let end = 0; end < 250; end += 1) expect(imageSize(bytes.subarray(0, end))).toBeUndefined()
})

test('webp with an extended header: its canvas', () => {
  const header = [...Buffer.from('RIFF____WEBPVP8X'), 10, 0, 0, 0, 0, 0, 0, 0]
  const bytes = Uint8Array.from([...header, 0xff, 0x03, 0, 0xff, 0x01, 0])
  expect(imageSize(bytes)).toEqual({ width: 1024, height: 512 })
})

test('png and gif: width and height are not mixed up', () => {
  expect(imageSizeOfUrl(pngUrl({ width: 640, height: 480 }))).toEqual({ width: 640, height: 480 })
  const screen = { width: 300, height: 2 }
  expect(imageSizeOfUrl(gifUrl(screen, screen))).toEqual(screen)
})

test('gif: a frame that is larger than the screen is the size', () => {
  const frame = { width: 4000, height: 3000 }
  expect(imageSizeOfUrl(gifUrl({ width: 1, height: 1 }, frame))).toEqual(frame)
})

test('jpeg: a thumbnail in the metadata is skipped, and 600 KB of metadata are', () => {
  const thumbnail = jpeg({ width: 16, height: 16 }, [])
  const photo = jpeg({ width: 4032, height: 3024 }, [thumbnail])
  expect(imageSize(photo)).toEqual({ width: 4032, height: 3024 })
  const profiles = Array.from({ length: 10 }, () => new Uint8Array(60_000))
  const large = jpeg({ width: 4032, height: 3024 }, profiles)
  expect(imageSizeOfUrl(urlOf(large))).toEqual({ width: 4032, height: 3024 })
})

test.each([
  ['an address', 'https://example.com/a.png'],
  ['no base64', 'data:image/png,abc'],
  ['nothing', 'data:image/png;base64,'],
  ['no image', 'data:image/png;base64,AAAA'],
  ['no pixels', pngUrl({ width: 0, height: 5 })],
  ['a character that some decoders skip', pngUrl({ width: 5, height: 5 }).replace('UgAA', 'Ug!AA')],
  ['a line break', pngUrl({ width: 5, height: 5 }).replace('UgAA', 'Ug\nAA')],
])('unknown: %s', (_, url) => {
  expect(imageSizeOfUrl(url)).toBeUndefined()
})

test('hostile bytes: a size or undefined, and never an error', () => {
  const { below } = seeded(7)
  const seeds = [...Object.values(tiny), avif].map((text) => Buffer.from(text, 'base64'))
  seeds.push(Buffer.from(jpeg({ width: 3, height: 4 }, [new Uint8Array(9)])))
  for (let turn = 0; turn < 3_000; turn += 1) {
    const bytes = Uint8Array.from(seeds[turn % seeds.length] ?? [])
    for (let change = 0; change < 3; change += 1) {
      bytes[below(bytes.length)] = below(256)
    }
    const size = imageSize(bytes.subarray(0, 1 + below(bytes.length)))
    if (size === undefined) continue
    expect(Math.min(size.width, size.height)).toBeGreaterThan(0)
    expect(Math.max(size.width, size.height)).toBeLessThan(2 ** 32)
  }
})
