import { expect, test } from 'vitest'
import { errorHandler } from '../../src/index.ts'

test('an error handler that would report to nobody is refused', () => {
  expect(() => errorHandler(undefined as never)).toThrow(
    new TypeError('report must be a function: console.error'),
  )
})
