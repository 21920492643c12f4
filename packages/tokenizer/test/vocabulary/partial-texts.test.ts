import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as deepseek from '../../src/deepseek.ts'
import * as o200k from '../../src/o200k-base.ts'
import * as qwen from '../../src/qwen.ts'
import { createTokenizer } from '../../src/vocabulary/create-tokenizer.ts'
import { fuzzString } from '../support/fuzz.ts'
import { seeded } from '../support/seeded.ts'

const families = [
  ['o200k', o200k],
  ['qwen', qwen],
  ['deepseek', deepseek],
] as const

test.each(families)('a stream of %s ids decodes to the text of all ids', (_, vocabulary) => {
  const random = seeded(11)
  for (let round = 0; round < 500; round += 1) {
    const ids = vocabulary.encode(fuzzString(random))
    const decoder = vocabulary.streamDecoder()
    const parts = ids.map((id) => decoder.write([id]))
    expect(parts.join('') + decoder.end()).toBe(vocabulary.decode(ids))
  }
})

test('an emoji that is split over tokens comes out whole', () => {
  const ids = o200k.encode('🦩 done')
  const decoder = o200k.streamDecoder()
  const parts = ids.map((id) => decoder.write([id]))
  expect(parts.filter((part) => part.includes('\ufffd'))).toEqual([])
  expect(parts).toContain('🦩')
  expect(parts.join('')).toBe('🦩 done')
})

test('a stream that ends inside a character ends with U+FFFD, and may be used again', () => {
  const [first = 0] = o200k.encode('🦩')
  const decoder = o200k.streamDecoder()
  expect([decoder.write([first]), decoder.end(), decoder.end()]).toEqual(['', '\ufffd', ''])
  expect(decoder.write(o200k.encode('again'))).toBe('again')
})

test.each(families)('%s truncates to a start of the text within the limit', (name, vocabulary) => {
  const random = seeded(12)
  for (let round = 0; round < 300; round += 1) {
    const text = fuzzString(random)
    const whole = vocabulary.decode(vocabulary.encode(text))
    const most = vocabulary.countTokens(text)
    for (const limit of [0, 1, Math.floor(most / 2), most]) {
      const cut = vocabulary.truncate(text, limit)
      expect(vocabulary.countTokens(cut), name).toBeLessThanOrEqual(limit)
      expect(limit === most ? cut === text : whole.startsWith(cut)).toBe(true)
    }
  }
})

test.each(families)(
  '%s truncates to no less than the longest run of tokens that fits',
  (_, vocabulary) => {
    const random = seeded(13)
    const words = ['a', ' ', '  ', '\t', '\r\n', '12', "'s", '==', '的', '🦩']
    for (let round = 0; round < 500; round += 1) {
      const text = Array.from({ length: 6 }, () => random.pick(words)).join('')
      const ids = vocabulary.encode(text)
      const starts = ids.map((_id, place) => vocabulary.decode(ids.slice(0, place)))
      const limit = random.below(ids.length)
      const fits = starts.filter((start) => vocabulary.countTokens(start) <= limit)
      const whole = fits.filter((start) => !start.includes('\ufffd'))
      expect(vocabulary.truncate(text, limit).length).toBeGreaterThanOrEqual(
        whole.at(-1)?.length ?? 0,
      )
    }
  },
)

test('a text is cut after the last token that fits', () => {
  expect(o200k.truncate('a  12', 2)).toBe('a  ')
  expect(o200k.truncate('one two three four', 2)).toBe('one two')
  expect(o200k.truncate('one two', 2)).toBe('one two')
  expect(o200k.truncate('🦩', 1)).toBe('')
})

const notText: readonly unknown[] = [5, {}, null, undefined, ['a']]

test.each(notText.map((value) => [String(value), value]))(
  '%s as a text throws a TypeError',
  (_, value) => {
    const { countTokens, encode, isWithinTokenLimit, truncate } = o200k
    for (const call of [countTokens, encode]) {
      expect(() => Reflect.apply(call, null, [value])).toThrow(/^text must be a string, and is/)
    }
    for (const call of [isWithinTokenLimit, truncate]) {
      expect(() => Reflect.apply(call, null, [value, 5])).toThrow(TypeError)
    }
  },
)

test.each([Number.NaN, Number.POSITIVE_INFINITY, 1.5, -1, '5', undefined])(
  '%s as a limit throws a TypeError',
  (limit) => {
    for (const call of [o200k.isWithinTokenLimit, o200k.truncate]) {
      expect(() => Reflect.apply(call, null, ['a', limit])).toThrow(
        /^limit must be a whole number of tokens of at least 0, and is /,
      )
    }
  },
)

test.each([1.5, Number.NaN, '199999', 'constructor', '__proto__'])(
  '%s is refused as an id',
  (id) => {
    expect(() => Reflect.apply(o200k.decode, null, [[id]])).toThrow(`has no token ${id}`)
  },
)

test('a table file may be an ArrayBuffer, as fetch returns it', () => {
  const file = readFileSync(new URL('../../assets/r50k_base.bin', import.meta.url))
  const buffer = Uint8Array.from(file).buffer
  expect(createTokenizer(buffer).countTokens('hello world')).toBe(2)
})

test.each(families)('%s splits a text into parts within the limit', (name, vocabulary) => {
  const random = seeded(13)
  for (let round = 0; round < 60; round += 1) {
    const text = fuzzString(random)
    const whole = vocabulary.decode(vocabulary.encode(text))
    for (const tokens of [4, 9, 40]) {
      const parts = vocabulary.split(text, { tokens })
      for (const part of parts)
        expect(vocabulary.countTokens(part), name).toBeLessThanOrEqual(tokens)
      expect(parts.join('')).toBe(whole)
      const overlapping = vocabulary.split(text, { tokens, overlap: tokens >> 1 })
      for (const part of overlapping) {
        expect(vocabulary.countTokens(part)).toBeLessThanOrEqual(tokens)
        expect(whole).toContain(part)
      }
      expect(overlapping.length).toBeGreaterThanOrEqual(parts.length)
    }
  }
})

test('parts overlap by the tokens asked for', () => {
  const parts = o200k.split('one two three four five six seven', { tokens: 4, overlap: 1 })
  expect(parts).toEqual(['one two three four', ' four five six seven'])
  expect(o200k.split('', { tokens: 4 })).toEqual([])
  expect(o200k.split('🦩🦩', { tokens: 4 })).toEqual(['🦩', '🦩'])
})

test.each([
  [{ tokens: 3 }, 'tokens must be an integer of at least 4'],
  [{ tokens: 10.5 }, 'tokens must be'],
  [{ tokens: 10, overlap: 10 }, 'overlap must be an integer of at least 0 and below 10'],
  [{ tokens: 10, overlap: -1 }, 'overlap must be'],
])('refuses to split with %o', (options, message) => {
  expect(() => o200k.split('text', options)).toThrow(message)
})

test('refuses to split without saying how', () => {
  const split = (): unknown => Reflect.apply(o200k.split, null, ['text'])
  expect(split).toThrow('tokens must be an integer of at least 4')
})

test.each(families)('%s counts a text as it grows', (name, vocabulary) => {
  const random = seeded(14)
  for (let round = 0; round < 60; round += 1) {
    const text = fuzzString(random)
    const counter = vocabulary.streamCounter()
    for (let at = 0; at < text.length; ) {
      const next = at + 1 + random.below(6)
      const counted = counter.write(text.slice(at, next))
      at = next
      expect(counted, name).toBe(vocabulary.countTokens(text.slice(0, at)))
    }
  }
})
