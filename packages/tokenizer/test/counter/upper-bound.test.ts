import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { createCounter, encodingsOf } from '../../src/counter/counter.ts'
import { type CounterName, counterNames } from '../../src/counter/counter-name.ts'
import { counterSpecs } from '../../src/counter/counter-specs.ts'
import { type NormalForm, upperBound } from '../../src/counter/upper-bound.ts'
import { tokenizer as o200k } from '../../src/o200k-base.ts'
import { createTokenCounter } from '../../src/pool/create-token-counter.ts'
import type { TokenCounter } from '../../src/pool/token-counter.ts'
import { tokenizerOf } from '../../src/vocabulary/create-tokenizer.ts'
import type { Tokenizer } from '../../src/vocabulary/tokenizer.ts'
import { createVocabularyStore } from '../../src/vocabulary/vocabulary-store.ts'
import { fuzzString } from '../support/fuzz.ts'
import { lengthened } from '../support/lengthened.ts'
import { seeded } from '../support/seeded.ts'

const vocabularies = createVocabularyStore({})
const tokenizerFor = (name: CounterName): Tokenizer =>
  tokenizerOf(vocabularies.load(counterSpecs[name].encoding))

const bytesOf = (text: string): number => Buffer.byteLength(text)
const boundOf = (text: string, ...forms: readonly NormalForm[]): number =>
  upperBound(text, bytesOf(text), forms)

const troubled = fc.string({ unit: fc.constantFrom(...lengthened), maxLength: 1200 })
const fuzz = fc.nat().map((seed) => fuzzString(seeded(seed)))

test.each(['NFC', 'NFKC'] as const)('the bound covers a text and its %s', (form) => {
  fc.assert(
    fc.property(fc.oneof(troubled, fuzz), (text) => {
      const bound = boundOf(text, form)
      expect(bound).toBeGreaterThanOrEqual(bytesOf(text))
      expect(bound).toBeGreaterThanOrEqual(bytesOf(text.normalize(form)))
    }),
    { numRuns: 2000 },
  )
})

const marks = '\u0301\u0323\u0316\u0308\u0345'

test.each([
  ['a letter and a thousand marks', `e${marks.repeat(200)}`],
  ['letters that marks decompose', `${'\u00e9\u1f82'.repeat(100)}${marks.repeat(100)}`.repeat(3)],
  ['vowels and finals of Hangul', '\u1161\u11a8'.repeat(500)],
  ['a letter and its finals', `\uac00${'\u11a8'.repeat(1000)}`],
  ['half-width marks', 'ｶﾞ'.repeat(500)],
  ['surrogate pairs that combine', `a${'\u{1d165}'.repeat(500)}`],
  ['lone surrogates', '\udc00'.repeat(1000)],
])('the bound covers texts without a place to cut: %s', (_, text) => {
  for (const form of ['NFC', 'NFKC'] as const) {
    const bound = boundOf(text, form)
    const longest = Math.max(bytesOf(text), bytesOf(text.normalize(form)))
    expect(bound).toBeGreaterThanOrEqual(longest)
    expect(bound).toBeLessThan(longest * 1.2 + 32)
  }
})

test.each([
  ['before the letter', `${'x'.repeat(255)}\u00e9\u0323`],
  ['between pairs', `${'x'.repeat(254)}\u{1d15e}\u{1d15e}`],
  ['inside the marks', `\u00e9${'\u0334'.repeat(255)}\u0323`],
  ['inside the marks of many letters', `\u00e9${'\u0334'.repeat(255)}\u0323`.repeat(20)],
])('the bound covers a letter that combines with a mark after a cut: cut %s', (_, text) => {
  for (const form of ['NFC', 'NFKC'] as const) {
    expect(bytesOf(text.normalize(form))).toBeGreaterThan(bytesOf(text))
    expect(boundOf(text, form)).toBeGreaterThanOrEqual(bytesOf(text.normalize(form)))
  }
})

test.each(['of ASCII', 'in Chinese 的一是在不了', 'with an é and 😀'])(
  'a text %s is bounded by its bytes',
  (words) => {
    const text = `${words} `.repeat(500)
    expect(boundOf(text, 'NFC', 'NFKC')).toBe(bytesOf(text))
  },
)

const vectors: readonly (readonly [CounterName, string, number, string])[] = [
  ['claude', '\ufdfa'.repeat(100), 1500, 'Claude 2'],
  ['claude-4.7', '\ufdfa'.repeat(100), 1500, 'Claude 2'],
  ['claude', '\u{1d160}'.repeat(50), 450, 'Claude 2'],
  ['cohere', '\u{1d160}'.repeat(50), 450, 'Command R+'],
  ['generic', '\ufdfa'.repeat(100), 1500, 'Claude 2'],
  ['generic', '\u{1d160}'.repeat(50), 450, 'Command R+'],
]

test.each(vectors)(
  'the bound of %s covers %s, which has %d tokens in %s',
  (name, text, tokens, _) => {
    const counted = createCounter(name, tokenizerFor(name)).countText(text)
    expect(counted.upperBound).toBeGreaterThanOrEqual(tokens)
    expect(counted.upperBound).toBeLessThanOrEqual(tokens * 3)
  },
)

test.each(counterNames)('the tokens of %s are within its bound', (name) => {
  const { countText } = createCounter(name, tokenizerFor(name))
  fc.assert(
    fc.property(fc.oneof(troubled, fuzz), (text) => {
      const { tokens, upperBound: most } = countText(text)
      expect(tokens).toBeGreaterThanOrEqual(text === '' ? 0 : 1)
      expect(tokens).toBeLessThanOrEqual(most)
    }),
  )
})

const open: TokenCounter[] = []

afterEach(async () => {
  for (const counter of open.splice(0)) await counter.close()
})

test.each(counterNames)('%s with no time to count stays within its bound', async (name) => {
  const counter = createTokenCounter({ cpuMilliseconds: 0, inlineBytes: 0, cacheBytes: 0 })
  open.push(counter)
  const { countText } = createCounter(name, tokenizerFor(name))
  await fc.assert(
    fc.asyncProperty(fc.oneof(troubled, fuzz), async (text) => {
      const counted = countText(text)
      const degraded = await counter.countText(name, text)
      if (text === '') return
      expect(degraded).toMatchObject({ method: 'estimate', degraded: 'deadline' })
      expect(degraded.tokens).toBe(degraded.upperBound)
      expect(degraded.tokens).toBeGreaterThanOrEqual(counted.upperBound)
    }),
    { numRuns: 50 },
  )
})

test('computing the bound of a long text does not block the event loop', async () => {
  const counter = createTokenCounter({ cpuMilliseconds: 0, inlineBytes: 0, cacheBytes: 0 })
  open.push(counter)
  let turns = 0
  const count = (): void => {
    turns += 1
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  const counted = await counter.countText('claude', '\ufdfa'.repeat(1_000_000))
  clearImmediate(timer)
  expect(counted.tokens).toBe(33_000_000)
  expect(turns).toBeGreaterThan(10)
})

test('a stopped estimate never looks like a count, whatever its factors', () => {
  const stopped = { encoding: 'o200k_base', countTokens: () => -1 } as const
  const small = { latin: 0.5, digit: 0.5, symbol: 0.5, cjk: 0.5, other: 0.5 }
  expect(createCounter('claude', stopped, small).countText('text').tokens).toBe(-1)
  expect(encodingsOf('claude')).toEqual([o200k.encoding])
})
