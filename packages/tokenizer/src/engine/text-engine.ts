import {
  countCharacterTokens,
  createCharacterEngine,
  encodeCharacters,
} from './character-engine.ts'
import type { EncodingName } from './encoding-name.ts'
import { type CountLimits, countTokens, createEngine, encodeText } from './engine.ts'
import { characterRules } from './growing/character-rules.ts'
import { createStreamCounter, type StreamCounter } from './growing/stream-counter.ts'
import { wordRules } from './growing/word-rules.ts'
import type { Vocabulary } from './table/table-file.ts'

/** The engine of a vocabulary that merges bytes or characters. */
export type TextEngine = {
  readonly encoding: EncodingName
  readonly countTokens: (text: string, limits?: CountLimits) => number
  readonly encode: (text: string) => readonly number[]
  readonly streamCounter: () => StreamCounter
}

export function createTextEngine(vocabulary: Vocabulary): TextEngine {
  const { encoding } = vocabulary.header
  if (vocabulary.header.scanner === 'characters') {
    const engine = createCharacterEngine(vocabulary)
    return {
      encoding,
      countTokens: (text, limits) => countCharacterTokens(engine, text, limits),
      encode: (text) => encodeCharacters(engine, text),
      streamCounter: () => createStreamCounter(characterRules(engine)),
    }
  }
  const engine = createEngine(vocabulary)
  return {
    encoding,
    countTokens: (text, limits) => countTokens(engine, text, limits),
    encode: (text) => encodeText(engine, text),
    streamCounter: () => createStreamCounter(wordRules(engine)),
  }
}
