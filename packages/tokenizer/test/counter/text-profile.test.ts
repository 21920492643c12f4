import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCounter } from '../../src/counter/counter.ts'
import { meanFactor } from '../../src/counter/estimate-factors.ts'
import {
  byClass,
  profileText,
  type TextClass,
  textClasses,
} from '../../src/counter/text-profile.ts'
import { tokenizer } from '../../src/o200k-base.ts'

const examples: readonly (readonly [TextClass, string])[] = [
  ['latin', 'Words and\n\tspaces'],
  ['accented', 'éèßøłşẹ\u0301'],
  ['digit', '0123456789'],
  ['symbol', '{}[]<>=+-*/;:,.!?"\''],
  ['cjk', '的一是在，。Ａ'],
  ['syllabic', 'ひらカナ안녕\u1100'],
  ['cyrillic', 'Приветαβγաբգ'],
  ['semitic', 'שלוםمرحبا'],
  ['brahmic', 'नमस्तेสวัสดีამ'],
  ['other', '😀—€\ue000\ud800'],
]

test.each(examples)('%s is recognized by its letters', (name, text) => {
  const bytes = Buffer.byteLength(text)
  expect(profileText(text)).toEqual({ ...byClass(() => 0), [name]: bytes, bytes })
})

test('the classes add up to the bytes of any text', () => {
  const units = fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)) })
  fc.assert(
    fc.property(units, (text) => {
      const profile = profileText(text)
      expect(profile.bytes).toBe(Buffer.byteLength(text))
      expect(textClasses.reduce((sum, name) => sum + profile[name], 0)).toBe(profile.bytes)
    }),
  )
})

const five = { latin: 1.1, digit: 1.3, symbol: 1.5, cjk: 1.7, other: 1.9 }

test.each([
  ['latin and accented', 'plainéèß', five.latin],
  ['cjk and syllabic', '的カナ안녕', five.cjk],
  ['other scripts', 'Привет שלום नमस्ते 😀'.replaceAll(' ', ''), five.other],
])('factors of five classes apply to their parts: %s', (_, text, factor) => {
  expect(meanFactor(five, profileText(text))).toBeCloseTo(factor)
  const counted = createCounter('claude', tokenizer, five).countText(text)
  const expected = Math.ceil(tokenizer.countTokens(text) * factor - 1e-9)
  expect(counted.tokens).toBe(Math.min(expected, Buffer.byteLength(text)))
})
