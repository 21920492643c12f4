const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** The value of each base64 character; 255 for other characters. */
const values: Uint8Array = new Uint8Array(128).fill(255)
for (let value = 0; value < 64; value += 1) values[alphabet.charCodeAt(value)] = value

/**
 * The bytes of the base64 from `start` up to the first `=`, `most` of them if there are more;
 * `undefined` if one of their characters is not base64.
 */
export function base64Bytes(
  text: string,
  {
    start = 0,
    most = Number.POSITIVE_INFINITY,
  }: { readonly start?: number; readonly most?: number } = {},
): Uint8Array | undefined {
  const bytes = new Uint8Array(Math.min(most, Math.floor(((text.length - start) * 3) / 4)))
  let filled = 0
  let held = 0
  let bits = 0
  for (let index = start; index < text.length && filled < bytes.length; index += 1) {
    const code = text.charCodeAt(index)
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
