/** A stretch of a text as UTF-8, with a space for each U+2581. */
export type CharacterWindow = {
  bytes: Uint8Array
  /** The same bytes, read as words; some bytes beyond the text may be read. */
  view: DataView
  length: number
  /** Whether the text ends with it. */
  isLast: boolean
}

/** Bytes behind a window that may be read. */
const margin = 16

export function createCharacterWindow(units: number): CharacterWindow {
  const bytes = new Uint8Array(units * 3 + margin)
  return { bytes, view: new DataView(bytes.buffer), length: 0, isLast: true }
}

/** How SentencePiece writes a space, and so a space to it. */
const whiteSquare = 0x2581

/**
 * Reads up to `units` UTF-16 units of `text` from `start`, never half a character, and answers where
 * it stopped; a lone surrogate becomes U+FFFD.
 */
export function fillCharacters(
  window: CharacterWindow,
  text: string,
  { start, units }: { readonly start: number; readonly units: number },
): number {
  const { bytes } = window
  const stop = Math.min(text.length, start + units)
  let length = 0
  let index = start
  while (index < stop) {
    const unit = text.charCodeAt(index)
    index += 1
    if (unit < 0x80) {
      bytes[length] = unit
      length += 1
    } else if (unit < 0x800) {
      bytes[length] = 0xc0 | (unit >>> 6)
      bytes[length + 1] = 0x80 | (unit & 63)
      length += 2
    } else if ((unit & 0xf800) !== 0xd800) {
      length = putBasic(bytes, length, unit)
    } else if ((unit & 0xfc00) === 0xd800 && (text.charCodeAt(index) & 0xfc00) === 0xdc00) {
      const low = text.charCodeAt(index)
      if (index === stop && stop < text.length) {
        index -= 1
        break
      }
      length = putAstral(bytes, length, 0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff))
      index += 1
    } else length = putBasic(bytes, length, 0xfffd)
  }
  bytes[length] = 0
  window.length = length
  window.isLast = index === text.length
  return index
}

function putBasic(bytes: Uint8Array, at: number, unit: number): number {
  if (unit === whiteSquare) {
    bytes[at] = 0x20
    return at + 1
  }
  bytes[at] = 0xe0 | (unit >>> 12)
  bytes[at + 1] = 0x80 | ((unit >>> 6) & 63)
  bytes[at + 2] = 0x80 | (unit & 63)
  return at + 3
}

function putAstral(bytes: Uint8Array, at: number, codePoint: number): number {
  bytes[at] = 0xf0 | (codePoint >>> 18)
  bytes[at + 1] = 0x80 | ((codePoint >>> 12) & 63)
  bytes[at + 2] = 0x80 | ((codePoint >>> 6) & 63)
  bytes[at + 3] = 0x80 | (codePoint & 63)
  return at + 4
}

/** UTF-16 units of the text behind byte `from` of a window. */
export function unitsBehind({ bytes, length }: CharacterWindow, from: number): number {
  let units = 0
  for (let at = from; at < length; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte < 0x80 || byte >= 0xc0) units += byte < 0xf0 ? 1 : 2
  }
  return units
}
