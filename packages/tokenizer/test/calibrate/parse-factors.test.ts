import { expect, test } from 'vitest'
import { parseFactors } from '../../src/index.ts'

const five = { latin: 1.3, digit: 0.8, symbol: 1.6, cjk: 1.1, other: 1.4 }

test('returns factors by counter unchanged', () => {
  const framing = { request: -12, message: 1.5, toolRequest: 300, tool: 20, format: 8 }
  const own = { claude: { ...five, framing }, generic: { ...five, cyrillic: 2, brahmic: 3.5 } }
  expect(parseFactors(own)).toEqual({ status: 'valid', factors: own })
  expect(parseFactors({})).toEqual({ status: 'valid', factors: {} })
})

test.each([
  ['an array', [five], ['']],
  ['null', null, ['']],
  ['a misspelled counter', { clade: five }, ['clade']],
  ['an exact counter', { 'openai-o200k': five }, ['openai-o200k']],
  ['an inherited name', { toString: five }, ['toString']],
  ['a number instead of factors', { claude: 1.3 }, ['claude']],
  ['a misspelled class', { claude: { ...five, latn: 1 } }, ['claude.latn']],
  ['a missing class', { claude: { ...five, cjk: undefined } }, ['claude.cjk']],
  [
    'a part of a class without a number',
    { claude: { ...five, cyrillic: null } },
    ['claude.cyrillic'],
  ],
  ['a string', { claude: { ...five, digit: '1' } }, ['claude.digit']],
  [
    'zero, and too large a factor',
    { claude: { ...five, digit: 0, other: 101 } },
    ['digit', 'other'],
  ],
  ['a misspelled framing', { claude: { ...five, framing: { tools: 3 } } }, ['framing.tools']],
  ['too many tokens', { claude: { ...five, framing: { tool: 10_001 } } }, ['framing.tool']],
  ['a number as framing', { claude: { ...five, framing: 3 } }, ['claude.framing']],
  ['the whole output of calibrate', { claude: { counter: 'claude', factors: five } }, ['counter']],
])('%s is rejected, and the problem has its path', (_, json, paths) => {
  const parsed = parseFactors(json)
  const found = parsed.status === 'invalid' ? parsed.problems.map(({ path }) => path) : []
  for (const path of paths) expect(found.some((one) => one.endsWith(path))).toBe(true)
})
