import { describe, expect, test } from 'vitest'
import { proofSize } from '../../../../scripts/testing/proof-size.ts'
import { convertHuggingFace } from '../../src/convert/convert-hugging-face.ts'
import type { BpeState } from '../../src/engine/bpe/bpe-state.ts'
import { countCharacterTokens, createCharacterEngine } from '../../src/engine/character-engine.ts'
import { countTokens, createEngine } from '../../src/engine/engine.ts'
import { characterRules } from '../../src/engine/growing/character-rules.ts'
import { createStreamCounter, type StreamCounter } from '../../src/engine/growing/stream-counter.ts'
import { wordRules } from '../../src/engine/growing/word-rules.ts'
import { buildVocabulary } from '../../src/engine/table/build-vocabulary.ts'
import { readTableFile, writeTableFile } from '../../src/engine/table/table-file.ts'
import {
  loadShippedVocabulary,
  type ShippedEncoding,
} from '../../src/vocabulary/shipped-vocabulary.ts'
import { mixtures, shapes } from '../support/adversarial.ts'
import { characterVocabulary } from '../support/character-vocabulary.ts'
import { lengthened } from '../support/lengthened.ts'
import { type Seeded, seeded } from '../support/seeded.ts'

type Counting = {
  readonly name: string
  readonly state: BpeState
  readonly count: (text: string) => number
  readonly streamCounter: () => StreamCounter
  /** What texts are made of. */
  readonly units: readonly string[]
}

const units = [
  ...['a', 'b', 's', 'l', 'r', 'e', 'A', 'B', 'é', 'É', 'я', 'Я', 'ʰ', 'ſ', 'ا', 'ก', '的', 'か'],
  ...['カ', '가', 'ᄀ', 'ᅡ', 'ᆨ', '\u0301', '\u0323', '1', '٣', ' ', '\n', '\r\n', '\t', '\u3000'],
  ...['=', '-', '/', '.', "'", '，', '😂', '\ud83d', '\udc00', '\u200d', '\u0378', '\ue000'],
]

const wordEncodings: readonly ShippedEncoding[] = [
  ...(['o200k_base', 'cl100k_base', 'r50k_base', 'p50k_base', 'qwen', 'tekken'] as const),
  'deepseek',
]

const countings: readonly Counting[] = [
  ...wordEncodings.map((encoding) => countingWords(encoding)),
  countingCharacters(),
]

function countingWords(name: ShippedEncoding): Counting {
  const engine = createEngine(loadShippedVocabulary(name))
  return {
    name,
    state: engine.state,
    count: (text) => countTokens(engine, text),
    streamCounter: () => createStreamCounter(wordRules(engine)),
    units: name === 'qwen' ? [...units, ...lengthened] : units,
  }
}

function countingCharacters(): Counting {
  const vocabulary = characterVocabulary()
  const built = buildVocabulary(convertHuggingFace(vocabulary.json, 'gemma3'))
  const engine = createCharacterEngine(readTableFile(writeTableFile(built)))
  return {
    name: 'characters',
    state: engine.state,
    count: (text) => countCharacterTokens(engine, text),
    streamCounter: () => createStreamCounter(characterRules(engine)),
    units: [
      ...'the ab>-</ 的中国文été😀▁\0Z',
      ...[...vocabulary.made.slice(0, 20), ...vocabulary.symbols, '<unused', '[multi', '\ud83d'],
    ],
  }
}

function expectExact({ count, streamCounter }: Counting, parts: readonly string[]): void {
  const counter = streamCounter()
  let text = ''
  for (const part of parts) {
    text += part
    const counted = counter.write(part)
    const end = JSON.stringify(text.slice(-400))
    if (counted !== count(text)) expect({ end, counted }).toEqual({ end, counted: count(text) })
  }
  expect(text).toBe(parts.join(''))
}

/** Cuts a text into parts of at most `most` units. */
function partsOf(text: string, most: number, random: Seeded): readonly string[] {
  const parts: string[] = []
  for (let at = 0; at < text.length; at += parts.at(-1)?.length ?? 1) {
    parts.push(text.slice(at, at + 1 + random.below(most)))
  }
  return parts
}

describe.each(countings)('$name', (counting) => {
  test('short texts are counted as the whole at each unit', () => {
    const random = seeded(16)
    for (let round = 0; round < proofSize({ quick: 1_000, all: 10_000 }); round += 1) {
      const chosen = Array.from({ length: 2 + random.below(4) }, () => random.pick(counting.units))
      expectExact(
        counting,
        Array.from({ length: 3 + random.below(12) }, () => random.pick(chosen)),
      )
    }
  })

  test('long runs of up to three kinds, and what follows, are counted as the whole', () => {
    const random = seeded(15)
    for (let round = 0; round < proofSize({ quick: 10, all: 80 }); round += 1) {
      const runs = Array.from({ length: 5 }, () => {
        const kinds = Array.from({ length: 1 + random.below(3) }, () => random.pick(counting.units))
        const length = random.below(3) === 0 ? 150 + random.below(250) : 1 + random.below(6)
        return Array.from({ length }, () => random.pick(kinds)).join('')
      })
      expectExact(counting, partsOf(runs.join(''), 1 + random.below(30), random))
    }
  })

  test('parts longer than a window are counted as the whole', () => {
    const random = seeded(17)
    for (const unit of ['a', ' \n', '=\n', '的é', 'some words, ', '😂']) {
      const text = unit.repeat(50_000 / unit.length)
      expectExact(counting, ['x', text, ...partsOf('\n a=', 2, random)])
    }
  })

  test('takes a linear number of steps on any text, however small the parts', () => {
    const stepsPerUnit = (text: string): number => {
      const before = counting.state.steps
      const { write } = counting.streamCounter()
      for (let at = 0; at < text.length; at += 2) write(text.slice(at, at + 2))
      return (counting.state.steps - before) / text.length
    }
    for (const { name, make } of [...shapes, ...mixtures]) {
      // Marks are normalized again, with the character before them.
      if (counting.name === 'qwen' && name === 'combining acute') continue
      const growth = stepsPerUnit(make(longUnits)) / stepsPerUnit(make(longUnits / 4))
      expect({ name, isLinear: growth < 1.5 }, `${name} grew ${growth}`).toEqual({
        name,
        isLinear: true,
      })
    }
  })
})

const longUnits = proofSize({ quick: 4_000, all: 10_000 })

test('of a text of ordinary words, only the last two are kept in memory', () => {
  const engine = createEngine(loadShippedVocabulary('o200k_base'))
  const rules = wordRules(engine)
  let size = 0
  const { write } = createStreamCounter({
    ...rules,
    scan: (window, position) => {
      size = window.bytes.length
      return rules.scan(window, position)
    },
  })
  for (let round = 0; round < 20_000; round += 1) write('some words ')
  write(' '.repeat(100_000))
  expect(size).toBeGreaterThan(100_000)
  for (let round = 0; round < 20_000; round += 1) write('some words ')
  expect(size).toBeLessThan(60_000)
})
