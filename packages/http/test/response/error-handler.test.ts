import { expect, test } from 'vitest'
import { errorHandler } from '../../src/index.ts'

test('an error handler without a function to report to is refused', () => {
  expect(() => errorHandler(undefined as never)).toThrow(
    new TypeError('report must be a function: console.error'),
  )
})
