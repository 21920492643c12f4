import { expect, test } from 'vitest'
import { parseFactors } from '../../src/index.ts'

const five = { latin: 1.3, digit: 0.8, symbol: 1.6, cjk: 1.1, other: 1.4 }

test('factors by counter are read as they are', () => {
  const own = { claude: five, generic: { ...five, cyrillic: 2, brahmic: 3.5 } }
  expect(parseFactors(own)).toEqual({ status: 'valid', factors: own })
  expect(parseFactors({})).toEqual({ status: 'valid', factors: {} })
})

test.each([
  ['no object', [five], ['']],
  ['nothing', null, ['']],
  ['a counter misspelt', { clade: five }, ['clade']],
  ['a counter that is exact', { 'openai-o200k': five }, ['openai-o200k']],
  ['an inherited name', { toString: five }, ['toString']],
  ['no factors', { claude: 1.3 }, ['claude']],
  ['a class misspelt', { claude: { ...five, latn: 1 } }, ['claude.latn']],
  ['a class left out', { claude: { ...five, cjk: undefined } }, ['claude.cjk']],
  [
    'a part of a class without a number',
    { claude: { ...five, cyrillic: null } },
    ['claude.cyrillic'],
  ],
  ['a text', { claude: { ...five, digit: '1' } }, ['claude.digit']],
  ['nothing, and too much', { claude: { ...five, digit: 0, other: 101 } }, ['digit', 'other']],
  ['the whole answer of calibrate', { claude: { counter: 'claude', factors: five } }, ['counter']],
])('%s is refused by name', (_, json, paths) => {
  const parsed = parseFactors(json)
  const found = parsed.status === 'invalid' ? parsed.problems.map(({ path }) => path) : []
  for (const path of paths) expect(found.some((one) => one.endsWith(path))).toBe(true)
})
