import { type ByteDecoder, createByteDecoder } from '../engine/table/decode.ts'
import { completeLength, createStreamDecoder } from '../engine/table/stream-decoder.ts'
import { readTableFile, type Vocabulary } from '../engine/table/table-file.ts'
import { createTextEngine, type TextEngine } from '../engine/text-engine.ts'
import { decodeUtf8 } from '../engine/unicode/utf8.ts'
import {
  requireBytes,
  requireIds,
  requireLimit,
  requireSplit,
  requireText,
} from './require-argument.ts'
import { splitText } from './split-text.ts'
import type { Tokenizer } from './tokenizer.ts'

/** Creates a tokenizer from the bytes of a table file, such as `assets/*.bin`. */
export function createTokenizer(tableFile: Uint8Array | ArrayBufferLike): Tokenizer {
  return tokenizerOf(readTableFile(requireBytes('tableFile', tableFile)))
}

export function tokenizerOf(vocabulary: Vocabulary): Tokenizer {
  const engine = createTextEngine(vocabulary)
  let decoder: ByteDecoder | undefined
  const bytesOf: ByteDecoder = (tokens) => {
    decoder ??= createByteDecoder(vocabulary)
    return decoder(requireIds(tokens))
  }
  return {
    encoding: vocabulary.header.encoding,
    encode: (text) => engine.encode(requireText(text)),
    decode: (tokens) => decodeUtf8(Uint8Array.from(bytesOf(tokens))),
    streamDecoder: () => createStreamDecoder(bytesOf),
    countTokens: (text) => engine.countTokens(requireText(text)),
    isWithinTokenLimit: (text, limit) => {
      const count = engine.countTokens(requireText(text), { tokens: requireLimit(limit) })
      return count <= limit ? count : false
    },
    truncate: (text, limit) =>
      truncate(requireText(text), requireLimit(limit), { engine, bytesOf }),
    split: (text, options) =>
      splitText(requireText(text), requireSplit(options), { engine, bytesOf }),
    streamCounter: () => {
      const { write } = engine.streamCounter()
      return { write: (text) => write(requireText(text)) }
    },
  }
}

/**
 * Tokens at the cut may split a character, which goes, and the rest may then count higher than its
 * tokens did: the cut moves back until the text fits. It begins one token late: the last space of a
 * run is a token of its own only before a word, so the run without the word may have one token less.
 */
function truncate(
  text: string,
  limit: number,
  { engine, bytesOf }: { readonly engine: TextEngine; readonly bytesOf: ByteDecoder },
): string {
  if (engine.countTokens(text, { tokens: limit }) <= limit) return text
  const ids = engine.encode(text)
  for (let kept = limit + 1; kept > 0; kept -= 1) {
    const bytes = bytesOf(ids.slice(0, kept))
    const start = decodeUtf8(Uint8Array.from(bytes.slice(0, completeLength(bytes))))
    if (engine.countTokens(start) <= limit) return start
  }
  return ''
}
