import fc from 'fast-check'
import { expect, test } from 'vitest'
import { proofSize } from '../../../../scripts/testing/proof-size.ts'
import { convertHuggingFace } from '../../src/convert/convert-hugging-face.ts'
import {
  type CharacterEngine,
  countCharacterTokens,
  createCharacterEngine,
} from '../../src/engine/character-engine.ts'
import { buildVocabulary } from '../../src/engine/table/build-vocabulary.ts'
import { readTableFile, writeTableFile } from '../../src/engine/table/table-file.ts'
import { createTokenizer } from '../../src/vocabulary/create-tokenizer.ts'
import { shapes } from '../support/adversarial.ts'
import { characterVocabulary, specialTokens } from '../support/character-vocabulary.ts'
import { naiveCharacters } from '../support/naive-characters.ts'
import { wellFormed } from '../support/well-formed.ts'

const vocabulary = characterVocabulary()
const file = writeTableFile(buildVocabulary(convertHuggingFace(vocabulary.json, 'gemma3')))
const { encode, decode, countTokens, isWithinTokenLimit } = createTokenizer(file)
const naive = (text: string): readonly number[] => naiveCharacters(vocabulary, text)
const createEngine = (): CharacterEngine => createCharacterEngine(readTableFile(file))

/** One window of the engine, in UTF-16 units. */
const windowUnits = 1 << 14

const units = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...'the ab>-</ 的中国文été😀\n\t ▁') },
  fc.constantFrom(...vocabulary.made, ...vocabulary.symbols, ...specialTokens),
  fc.constantFrom('<unused', '<unused1', '</', '[multi', ' '.repeat(7), '\n'.repeat(12), '<0x41>'),
  fc.constantFrom('\0', 'Z', 'ñ', '語', '𐀀', '\ud800', '\udc00', '\ufffd', '\ufeff', '\r\n'),
  fc.string({ unit: 'binary', maxLength: 3 }),
)
const texts = fc.array(units, { maxLength: 60 }).map((parts) => parts.join(''))

test('the test vocabulary joins words, runs and characters beyond the basic plane', () => {
  expect(vocabulary.made.length).toBe(60)
  expect(vocabulary.made).toEqual(expect.arrayContaining(['▁the', 'aaaa', '的的', '😀😀', '>▁été']))
})

test('ids and counts equal those of a naive implementation', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const ids = encode(text)
      expect(ids).toEqual(naive(text))
      expect(countTokens(text)).toBe(ids.length)
    }),
    { numRuns: 1500 },
  )
})

test('decoding returns the text, with spaces for U+2581', () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(decode(encode(text))).toBe(wellFormed(text).replaceAll('▁', ' '))
    }),
  )
})

test('the place where a window ends does not change the result', () => {
  const tails = [
    '</b>the',
    '\n'.repeat(12),
    '😀😀的',
    '\ud800',
    ' </the',
    '<unused10>',
    ' '.repeat(9),
    '▁the',
    '𐀀',
  ]
  for (const tail of tails.slice(0, proofSize({ quick: 4, all: tails.length }))) {
    for (let before = windowUnits - 14; before <= windowUnits + 2; before += 1) {
      const text = `${'the '.repeat(before / 4)}${'Z'.repeat(before % 4)}${tail} the`
      expect(encode(text)).toEqual(naive(text))
    }
  }
})

test.each(['a', 'ab', '的', '😀', 'the'])('a piece may span several windows: %s', (unit) => {
  const text = `${unit.repeat(70_000 / unit.length)} the${unit.repeat(40_000)}`
  const ids = naive(text)
  expect(encode(text)).toEqual(ids)
  expect(countTokens(text)).toBe(ids.length)
})

test('a run longer than the longest symbol is split from the left into longest symbols', () => {
  const { vocab } = vocabulary.json.model
  const longest = vocab['\n\n\n\n\n']
  expect(encode('\n'.repeat(12))).toEqual([longest, longest, vocab['\n\n']])
  expect(encode(`${' '.repeat(6)}the`)).toEqual([vocab['▁▁▁▁▁'], vocab['▁the']])
  expect(countTokens('\n'.repeat(1_000_000))).toBe(200_000)
})

test('special-token strings are ordinary text; special ids decode', () => {
  const { vocab } = vocabulary.json.model
  for (const special of specialTokens) {
    expect(encode(special)).not.toContain(vocab[special])
    expect(decode([vocab[special] ?? -1])).toBe(special)
  }
  expect(() => decode([100_000])).toThrow('has no token 100000')
})

test('the tokens of single bytes decode even if their characters are tokens', () => {
  const { vocab } = vocabulary.json.model
  expect(decode(['<0x61>', '<0xC3>', '<0xB1>'].map((name) => vocab[name] ?? -1))).toBe('añ')
})

test('a token that merges cannot produce is never encoded, but decodes', () => {
  const { json } = characterVocabulary(0)
  const merges = [
    ['h', 'e'],
    ['e', 's'],
    ['t', 'h'],
    ['th', 'es'],
  ] as const
  const made = ['he', 'es', 'th', 'thes'].map((text, at) => [text, 900 + at])
  const model = {
    ...json.model,
    merges,
    vocab: { ...json.model.vocab, ...Object.fromEntries(made) },
  }
  const tokenizer = createTokenizer(
    writeTableFile(buildVocabulary(convertHuggingFace({ ...json, model }, 'gemma3'))),
  )
  const { t, s } = json.model.vocab
  expect(tokenizer.encode('thes')).toEqual([t, 900, s])
  expect(tokenizer.countTokens('thes')).toBe(3)
  expect(tokenizer.decode([903, 901])).toBe('theses')
})

test('a count stops soon after its limit, and on request', () => {
  expect(isWithinTokenLimit('the other', 2)).toBe(countTokens('the other') <= 2 ? 2 : false)
  expect(isWithinTokenLimit('Z'.repeat(1_000_000), 5)).toBe(false)
  const engine = createEngine()
  const shouldStop = (): boolean => true
  expect(countCharacterTokens(engine, 'a'.repeat(100_000), { shouldStop })).toBe(-1)
  expect(countCharacterTokens(engine, 'the '.repeat(100_000), { shouldStop })).toBe(-1)
  expect(countCharacterTokens(engine, 'the')).toBe(naive('the').length)
})

test('the memory of a long piece is released', () => {
  const engine = createEngine()
  countCharacterTokens(engine, 'a'.repeat(1_000_000))
  const { state, window } = engine
  const kept = [state.stack, state.runs, state.dead, window.bytes]
  expect(kept.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(300_000)
})

test('takes a linear number of steps on any text', () => {
  const engine = createEngine()
  const steps = (text: string): number => {
    engine.state.pairMemo.fill(-1)
    engine.state.pieceMemo.fill(0)
    const before = engine.state.steps
    countCharacterTokens(engine, text)
    return engine.state.steps - before
  }
  const cut = (name: string, unit: string) => ({
    name,
    make: (length: number) => unit.repeat(length / unit.length),
  })
  const length = proofSize({ quick: 30_000, all: 100_000 })
  const own = [cut('cut symbol', '<unused'), cut('symbols', '<b>'), cut('not quite', 'aaaaaaab')]
  for (const { name, make } of [...shapes, ...own]) {
    const text = make(length)
    const long = steps(text)
    const growth = long / steps(make(length / 10))
    expect({ name, linear: growth < 12 }, `${name} grew ${growth}`).toEqual({ name, linear: true })
    const perByte = long / Buffer.byteLength(text)
    expect({ name, bounded: perByte < 64 }, `${name} takes ${perByte}`).toEqual({
      name,
      bounded: true,
    })
  }
})
