const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** The value of each base64 character; 255 for other characters. */
const values: Uint8Array = new Uint8Array(128).fill(255)
for (let value = 0; value < 64; value += 1) values[alphabet.charCodeAt(value)] = value

/**
 * The first `most` bytes of a base64 `data:` URL; `undefined` for other URLs, and if a character is
 * not base64: some decoders skip such characters, and would read other bytes than these.
 */
export function dataUrlBytes(url: string, most: number): Uint8Array | undefined {
  const start = dataStart(url)
  if (start === undefined) return undefined
  const bytes = new Uint8Array(Math.min(most, Math.ceil(((url.length - start) * 3) / 4)))
  let filled = 0
  let held = 0
  let bits = 0
  for (let index = start; index < url.length && filled < bytes.length; index += 1) {
    const code = url.charCodeAt(index)
    if (code === 61) break
    const value = values[code] ?? 255
    if (value === 255) return undefined
    held = ((held << 6) | value) & 0xffff
    bits += 6
    if (bits < 8) continue
    bits -= 8
    bytes[filled] = held >> bits
    filled += 1
  }
  return bytes.subarray(0, filled)
}

function dataStart(url: string): number | undefined {
  const [header] = /^data:[^,]{0,200};base64,/i.exec(url.slice(0, 256)) ?? []
  return header?.length
}
