import { expect, test } from 'vitest'
import { fitsContext, remainingTokens } from '../../src/index.ts'

const model = { contextLength: 1_000, maxOutputTokens: 400 }

test.each([
  [0, 400],
  [600, 400],
  [601, 399],
  [1_000, 0],
  [5_000, 0],
])('an input of %i tokens leaves %i for the output', (inputTokens, left) => {
  expect(remainingTokens(model, inputTokens)).toBe(left)
  expect(fitsContext(model, { inputTokens, outputTokens: left })).toBe(inputTokens <= 1_000)
  expect(fitsContext(model, { inputTokens, outputTokens: left + 1 })).toBe(false)
})

test.each([Number.NaN, -1, 1.5, '5', undefined])(
  '%s is refused as a number of tokens',
  (tokens) => {
    const refused = /^(in|out)putTokens must be a whole number of at least 0, and is /
    expect(() => Reflect.apply(remainingTokens, null, [model, tokens])).toThrow(refused)
    for (const sizes of [
      { inputTokens: tokens, outputTokens: 1 },
      { inputTokens: 1, outputTokens: tokens },
    ])
      expect(() => Reflect.apply(fitsContext, null, [model, sizes])).toThrow(refused)
  },
)
