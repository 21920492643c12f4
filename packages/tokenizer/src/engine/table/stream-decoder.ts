import { decodeUtf8 } from '../unicode/utf8.ts'
import type { ByteDecoder } from './decode.ts'

/** Decodes token ids that arrive one after the other. A character split over tokens stays whole. */
export type StreamDecoder = {
  /** Returns the text of these ids as far as its characters are complete. Throws on unknown ids. */
  readonly write: (tokens: Iterable<number>) => string
  /** Returns U+FFFD for an incomplete character at the end, otherwise an empty text. */
  readonly end: () => string
}

export function createStreamDecoder(bytesOf: ByteDecoder): StreamDecoder {
  let held: readonly number[] = []
  return {
    write: (tokens) => {
      const bytes = [...held, ...bytesOf(tokens)]
      const complete = completeLength(bytes)
      held = bytes.slice(complete)
      return decodeUtf8(Uint8Array.from(bytes.slice(0, complete)))
    },
    end: () => {
      const text = decodeUtf8(Uint8Array.from(held))
      held = []
      return text
    },
  }
}

/** The length without a character at the end whose first byte announces more bytes than there are. */
export function completeLength(bytes: readonly number[]): number {
  for (let back = 1; back <= 3; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte >= 0xc0) return bytesAnnounced(byte) > back ? bytes.length - back : bytes.length
    if (byte < 0x80) break
  }
  return bytes.length
}

function bytesAnnounced(first: number): number {
  if (first >= 0xf0) return 4
  return first >= 0xe0 ? 3 : 2
}
