import {
  countCharacterTokens,
  createCharacterEngine,
  encodeCharacters,
} from './character-engine.ts'
import type { EncodingName } from './encoding-name.ts'
import { type CountLimits, countTokens, createEngine, encodeText } from './engine.ts'
import { createGrowingText, type GrowingText } from './growing-text.ts'
import type { Vocabulary } from './table/table-file.ts'

/** The engine of a vocabulary that merges bytes or characters. */
export type TextEngine = {
  readonly encoding: EncodingName
  readonly countTokens: (text: string, limits?: CountLimits) => number
  readonly encode: (text: string) => readonly number[]
  /** `undefined` if merges cross words, so that a text that grows is counted again as a whole. */
  readonly growing: GrowingText | undefined
}

export function createTextEngine(vocabulary: Vocabulary): TextEngine {
  const { encoding } = vocabulary.header
  if (vocabulary.header.scanner === 'characters') {
    const engine = createCharacterEngine(vocabulary)
    return {
      encoding,
      countTokens: (text, limits) => countCharacterTokens(engine, text, limits),
      encode: (text) => encodeCharacters(engine, text),
      growing: undefined,
    }
  }
  const engine = createEngine(vocabulary)
  return {
    encoding,
    countTokens: (text, limits) => countTokens(engine, text, limits),
    encode: (text) => encodeText(engine, text),
    growing: createGrowingText(engine),
  }
}
