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
