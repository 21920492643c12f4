import { expect, test } from 'vitest'
import { messagesWire, withCallerNames } from '../src/index.ts'

test('a problem names the field that the caller sent', () => {
  const body = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] }
  const read = messagesWire.read({ ...body, stop_sequences: ['$&'] })
  if (read.status === 'refused') throw new Error(read.problem.message)
  const problem = { code: 'unsupported_field', param: 'stop[0]', message: 'stop[0] is too short.' }
  expect(withCallerNames(problem, read.fieldName)).toEqual({
    code: 'unsupported_field',
    param: 'stop_sequences[0]',
    message: 'stop_sequences[0] is too short.',
  })
  const whole = { param: null, message: 'The body must be a JSON object.' }
  expect(withCallerNames(whole, read.fieldName)).toBe(whole)
})
