import type { ByteDecoder } from '../engine/table/decode.ts'
import type { TextEngine } from '../engine/text-engine.ts'
import { decodeUtf8 } from '../engine/unicode/utf8.ts'

/** How a text is split. */
export type SplitOptions = {
  /** The most tokens of a part, at least 4, since a character may be so many. */
  readonly tokens: number
  /** With about how many of its last tokens the part before ends; 0 by default. */
  readonly overlap?: number
}

type Vocabulary = { readonly engine: TextEngine; readonly bytesOf: ByteDecoder }

/** Splits the text of tokens into parts of whole characters, in linear time. */
export function splitText(
  text: string,
  { tokens, overlap = 0 }: SplitOptions,
  { engine, bytesOf }: Vocabulary,
): readonly string[] {
  const ids = engine.encode(text)
  const { bytes, ends } = bytesOfEach(ids, bytesOf)
  const startsCharacter = (place: number): boolean =>
    ((bytes[ends[place - 1] ?? 0] ?? 0) & 0xc0) !== 0x80
  const textOf = (start: number, stop: number): string =>
    decodeUtf8(bytes.subarray(ends[start - 1] ?? 0, ends[stop - 1]))
  const backTo = (place: number): number => {
    let at = place
    while (at > 0 && !startsCharacter(at)) at -= 1
    return at
  }
  const parts: string[] = []
  for (let start = 0; start < ids.length; ) {
    let stop = Math.min(ids.length, start + tokens)
    if (stop < ids.length) stop = backTo(stop)
    let part = textOf(start, stop)
    // A part that begins inside a piece may count higher than its tokens did.
    while (engine.countTokens(part, { tokens }) > tokens && backTo(stop - 1) > start) {
      stop = backTo(stop - 1)
      part = textOf(start, stop)
    }
    parts.push(part)
    if (stop === ids.length) break
    const again = backTo(stop - overlap)
    start = again > start ? again : stop
  }
  return parts
}

/** The bytes of all tokens, and where those of each end. */
function bytesOfEach(
  ids: readonly number[],
  bytesOf: ByteDecoder,
): { readonly bytes: Uint8Array; readonly ends: readonly number[] } {
  const ends: number[] = []
  const all: number[] = []
  for (const id of ids) {
    for (const byte of bytesOf([id])) all.push(byte)
    ends.push(all.length)
  }
  return { bytes: Uint8Array.from(all), ends }
}
