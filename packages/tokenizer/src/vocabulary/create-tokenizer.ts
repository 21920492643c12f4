import { createDecoder } from '../engine/table/decode.ts'
import { readTableFile, type Vocabulary } from '../engine/table/table-file.ts'
import { createTextEngine } from '../engine/text-engine.ts'
import type { Tokenizer } from './tokenizer.ts'

/** Creates a tokenizer from the bytes of a table file, such as `assets/*.bin`. */
export function createTokenizer(tableFile: Uint8Array): Tokenizer {
  return tokenizerOf(readTableFile(tableFile))
}

export function tokenizerOf(vocabulary: Vocabulary): Tokenizer {
  const engine = createTextEngine(vocabulary)
  let decoder: ((tokens: Iterable<number>) => string) | undefined
  return {
    encoding: vocabulary.header.encoding,
    encode: engine.encode,
    decode: (tokens) => {
      decoder ??= createDecoder(vocabulary)
      return decoder(tokens)
    },
    countTokens: (text) => engine.countTokens(text),
    isWithinTokenLimit: (text, limit) => {
      const count = engine.countTokens(text, { tokens: limit })
      return count <= limit ? count : false
    },
  }
}
