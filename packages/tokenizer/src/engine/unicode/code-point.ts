/** Length in UTF-8 of the code point that begins with this byte. */
export function codePointWidth(lead: number): number {
  if (lead < 0x80) return 1
  if (lead < 0xe0) return 2
  return lead < 0xf0 ? 3 : 4
}

/** The end of the code point at `position`. */
export function codePointEnd(bytes: Uint8Array, position: number): number {
  return position + codePointWidth(bytes[position] ?? 0)
}

/** The code point at `at`. */
export function codePointAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0
  if (first < 0x80) return first
  const second = (bytes[at + 1] ?? 0) & 63
  if (first < 0xe0) return ((first & 31) << 6) | second
  const third = (bytes[at + 2] ?? 0) & 63
  if (first < 0xf0) return ((first & 15) << 12) | (second << 6) | third
  return ((first & 7) << 18) | (second << 12) | (third << 6) | ((bytes[at + 3] ?? 0) & 63)
}
