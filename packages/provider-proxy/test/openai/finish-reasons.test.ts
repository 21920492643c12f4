import { expect, test } from 'vitest'
import { customProfile } from '../../src/index.ts'
import { createOpenAiReader } from '../../src/openai/openai-reader.ts'
import { chatCall } from '../support/call.ts'

const frame = { id: 'chatcmpl-1', created: 1, model: 'maker/model', provider: 'test' }

/** The finish reason of a response; null when it is incomplete. */
function finishOf(reason: string, endMark: readonly string[]): string | null {
  const reader = createOpenAiReader(frame, chatCall('hi'), customProfile)
  const choice = { index: 0, delta: { content: 'a' }, finish_reason: reason }
  for (const data of [JSON.stringify({ choices: [choice] }), ...endMark]) {
    reader.read({ name: undefined, data }, () => undefined)
  }
  return reader.end()?.finishReasons[0]?.reason ?? null
}

test.each([
  ['stop', 'stop'],
  ['eos', 'stop'],
  ['end_turn', 'stop'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['model_length', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['content_filter', 'content_filter'],
  ['safety', 'content_filter'],
  ['sensitive', 'content_filter'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['abort', null],
  ['insufficient_system_resource', null],
  ['network_error', null],
])('%s becomes %s', (given, expected) => {
  expect(finishOf(given, ['[DONE]'])).toBe(expected)
  expect(finishOf(given, [])).toBe(expected)
})

test('the text of `stop` that ended an answer is kept where the server reports it, as vLLM does', () => {
  const endOf = (fields: object) => {
    const reader = createOpenAiReader(frame, chatCall('hi'), customProfile)
    const choice = { index: 0, delta: { content: 'a' }, ...fields }
    reader.read({ name: undefined, data: JSON.stringify({ choices: [choice] }) }, () => undefined)
    return reader.end()?.finishReasons
  }
  const stop = { index: 0, reason: 'stop' }
  expect(endOf({ finish_reason: 'stop', stop_reason: 'END' })).toEqual([
    { ...stop, stopSequence: 'END' },
  ])
  expect(endOf({ finish_reason: 'stop', stop_reason: 128_009 })).toEqual([stop])
  expect(endOf({ finish_reason: 'stop', stop_reason: null })).toEqual([stop])
})

test('an unknown reason is a stop only with the end mark', () => {
  expect(finishOf('something_new', ['[DONE]'])).toBe('stop')
  expect(finishOf('something_new', [])).toBeNull()
})
