import { createDecoder } from './engine/decode.ts'
import { countTokens, createEngine, encodeText } from './engine/engine.ts'
import { readTableFile, type Vocabulary } from './engine/table-file.ts'
import type { Tokenizer } from './tokenizer.ts'

/** Makes a tokenizer from the bytes of a table file, as `assets/*.bin` hold them. */
export function createTokenizer(tableFile: Uint8Array): Tokenizer {
  return tokenizerOf(readTableFile(tableFile))
}

export function tokenizerOf(vocabulary: Vocabulary): Tokenizer {
  const engine = createEngine(vocabulary)
  let decoder: ((tokens: Iterable<number>) => string) | undefined
  return {
    encoding: vocabulary.header.encoding,
    encode: (text) => encodeText(engine, text),
    decode: (tokens) => {
      decoder ??= createDecoder(vocabulary)
      return decoder(tokens)
    },
    countTokens: (text) => countTokens(engine, text),
    isWithinTokenLimit: (text, limit) => {
      const count = countTokens(engine, text, { tokens: limit })
      return count <= limit ? count : false
    },
  }
}
