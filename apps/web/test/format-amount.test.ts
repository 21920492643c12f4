import { expect, test } from 'vitest'
import { aboutDollars, exactDollars, perMillion, tokenCount } from '../src/parts/format-amount.ts'

test.each([
  ['0.003526', '$0.003526'],
  ['0.001000', '$0.001'],
  ['1', '$1.00'],
  ['12.5', '$12.50'],
])('exact amounts keep each digit: %s', (text, shown) => {
  expect(exactDollars(text)).toBe(shown)
})

test.each([
  [0, '$0'],
  [0.0044189, '$0.00442'],
  [0.12345, '$0.123'],
  [12.345, '$12.35'],
])('computed amounts have three significant digits: %d', (amount, shown) => {
  expect(aboutDollars(amount)).toBe(shown)
})

test('prices are per million tokens', () => {
  expect(perMillion(0.0004)).toBe('$0.40')
  expect(perMillion(0.0000375)).toBe('$0.0375')
})

test.each([
  [512, '512'],
  [131_072, '131K'],
  [1_047_576, '1M'],
])('%d tokens are %s', (tokens, shown) => {
  expect(tokenCount(tokens)).toBe(shown)
})
