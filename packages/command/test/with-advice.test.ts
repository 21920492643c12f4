import { expect, test } from 'vitest'
import { withAdvice } from '../src/show/with-advice.ts'

test('a code of the gateway that is a property of every object has no advice', () => {
  expect(withAdvice({ code: 'constructor', message: 'Not now.' })).toBe('Not now.')
})
