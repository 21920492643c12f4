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

test('the fix of a problem has no value of a field that the caller gives otherwise', () => {
  const problem = {
    param: 'parallel_tool_calls',
    message:
      'parallel_tool_calls is not supported with a/b. Remove it, set it to true, or choose another model.',
  }
  const name = 'tool_choice.disable_parallel_tool_use'
  expect(withCallerNames(problem, () => name).message).toBe(
    `${name} is not supported with a/b. Remove it or choose another model.`,
  )
})
