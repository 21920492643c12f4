import { expect, test } from 'vitest'
import * as cl100k from '../../src/cl100k-base.ts'
import * as o200k from '../../src/o200k-base.ts'
import { wellFormed } from '../support/well-formed.ts'

/** Ids of tiktoken 1.0.22, ordinary text: cl100k_base, then o200k_base. */
const ids: readonly (readonly [string, readonly number[], readonly number[]])[] = [
  ['', [], []],
  ['hello world', [15339, 1917], [24912, 2375]],
  ['tiktoken is great!', [83, 1609, 5963, 374, 2294, 0], [83, 8251, 2488, 382, 2212, 0]],
  [
    'antidisestablishmentarianism',
    [519, 85342, 34500, 479, 8997, 2191],
    [493, 129901, 376, 160388, 21203, 2367],
  ],
  ['2 + 2 = 4', [17, 489, 220, 17, 284, 220, 19], [17, 659, 220, 17, 314, 220, 19]],
  [
    'お誕生日おめでとう',
    [33334, 45918, 243, 21990, 9080, 33334, 62004, 16556, 78699],
    [8930, 9697, 243, 128225, 8930, 17693, 4344, 48669],
  ],
  ['<|endoftext|>', [27, 91, 8862, 728, 428, 91, 29], [27, 91, 419, 1440, 919, 91, 29]],
  ['a\ud800b', [64, 5809, 65], [64, 3251, 65]],
  ['a\u0085b', [64, 126, 227, 65], [64, 126, 227, 65]],
  ['\ufeffhello world', [3305, 15339, 1917], [5574, 24912, 2375]],
  ['a\r\n\r\n  b', [64, 881, 220, 293], [64, 1414, 220, 287]],
  ['!!!\n/\n/x', [80395, 6018, 11009], [49551, 66186, 87]],
]

test.each(ids)('%j', (text, ofCl100k, ofO200k) => {
  expect(cl100k.encode(text)).toEqual(ofCl100k)
  expect(o200k.encode(text)).toEqual(ofO200k)
  expect(o200k.decode(ofO200k)).toBe(wellFormed(text))
})

/** Counts: cl100k_base, then o200k_base. */
const counts: readonly (readonly [string, number, number])[] = [
  ['toString', 1, 2],
  ['__proto__', 3, 3],
  ['hasOwnProperty valueOf', 4, 5],
  ['\ud800\ud800\ud800', 1, 1],
  ["it'ſ ok it'S", 7, 6],
  ["HelloWorldIsCAMELCase don'T I'LL we'Re", 14, 12],
  ['👨‍👩‍👧‍👦', 18, 11],
  ['AʰAʰb', 7, 7],
  ['12345678', 3, 3],
  ['a'.repeat(1000), 125, 125],
  [' '.repeat(1000), 9, 9],
  ['/'.repeat(1000), 16, 17],
  ['的'.repeat(1000), 1000, 1000],
  ['\0'.repeat(1000), 1000, 500],
]

test.each(counts)('counts %j', (text, ofCl100k, ofO200k) => {
  expect(cl100k.countTokens(text)).toBe(ofCl100k)
  expect(o200k.countTokens(text)).toBe(ofO200k)
})

/** Hugging Face's native tokenizers on o200k_base, for 100,000 UTF-16 units; tiktoken takes hours. */
const long: readonly (readonly [string, number])[] = [
  ['a', 12_500],
  [' ', 782],
  ['\n', 6250],
  ['的', 100_000],
  ['😀', 50_000],
  ['\ufffd', 12_500],
  ['\ud800', 12_500],
  ['/', 1563],
  ['\r\n', 12_500],
  ['\0', 50_000],
  ['\ufeff', 50_000],
  ['\u0085', 200_000],
  ["'s", 50_000],
  ['A1', 100_000],
  ['<|', 100_000],
  ['<|endoftext|>', 46_155],
]

test.each(long)('counts 100,000 units of %j', (unit, expected) => {
  const text = unit.repeat(100_000).slice(0, 100_000)
  expect(o200k.countTokens(text)).toBe(expected)
})

test('stops reading at a limit', () => {
  const text = 'hello world '.repeat(100_000)
  expect(o200k.isWithinTokenLimit(text, 10)).toBe(false)
  expect(o200k.isWithinTokenLimit('hello world', 2)).toBe(2)
  expect(o200k.isWithinTokenLimit('hello world', 1)).toBe(false)
})

test('decoding rejects an unknown id, and writes a special token', () => {
  expect(() => o200k.decode([199_998])).toThrow('has no token 199998')
  expect(o200k.decode([199_999])).toBe('<|endoftext|>')
})
