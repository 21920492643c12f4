import { encodeUtf8Into } from '../unicode/utf8.ts'
import { splitsPair } from './splits-pair.ts'

/** A slice of a text as UTF-8, with a space for each U+2581. */
export type CharacterWindow = {
  bytes: Uint8Array
  /** The same bytes as words; reads may go a few bytes beyond the text. */
  view: DataView
  length: number
  /** Whether this is the end of the text. */
  isLast: boolean
}

/** Bytes after a window that may be read. */
const margin = 16

export function createCharacterWindow(units: number): CharacterWindow {
  const bytes = new Uint8Array(units * 3 + margin)
  return { bytes, view: new DataView(bytes.buffer), length: 0, isLast: true }
}

/** SentencePiece's encoding of a space; it treats this character as a space. */
export const metaspace = '\u2581'

/**
 * Reads up to `units` UTF-16 units of `text` from `start`, never half a character, and returns where
 * it stopped. A lone surrogate becomes U+FFFD.
 */
export function fillCharacters(
  window: CharacterWindow,
  text: string,
  { start, units }: { readonly start: number; readonly units: number },
): number {
  const most = Math.min(text.length, start + units)
  const stop = splitsPair(text, most) ? most - 1 : most
  const slice = text.slice(start, stop).replaceAll(metaspace, ' ')
  window.length = encodeUtf8Into(slice, window.bytes)
  window.bytes[window.length] = 0
  window.isLast = stop === text.length
  return stop
}

/** UTF-16 units of the text after byte `from` of a window. */
export function unitsBehind({ bytes, length }: CharacterWindow, from: number): number {
  let units = 0
  for (let at = from; at < length; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte < 0x80 || byte >= 0xc0) units += byte < 0xf0 ? 1 : 2
  }
  return units
}
