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

test('an error that was a malformed call of Gemini is a call that cannot be used', () => {
  const reader = createOpenAiReader(frame, chatCall('hi'), customProfile)
  const ended = { finish_reason: 'error', native_finish_reason: 'MALFORMED_FUNCTION_CALL' }
  for (const data of [JSON.stringify({ choices: [{ index: 0, delta: {}, ...ended }] }), '[DONE]']) {
    reader.read({ name: undefined, data }, () => undefined)
  }
  expect(() => reader.end()).toThrow('test sent a tool call that cannot be used')
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

/** How a response of these events ends, the end mark included; null when it is incomplete. */
function endOf(events: readonly object[]) {
  const reader = createOpenAiReader(frame, chatCall('hi'), customProfile)
  const calls: unknown[] = []
  for (const data of [...events.map((event) => JSON.stringify(event)), '[DONE]']) {
    reader.read({ name: undefined, data }, ({ choices }) => {
      calls.push(...choices.flatMap(({ delta }) => delta.tool_calls ?? []))
    })
  }
  const end = reader.end()
  return end && { ...end, calls }
}

const words = { choices: [{ index: 0, delta: { content: 'a' } }] }
const usage = { prompt_tokens: 22, completion_tokens: 5, total_tokens: 27 }

test('without any finish reason, usage and the end mark end a response, as at Snowflake', () => {
  const stop = [{ index: 0, reason: 'stop' }]
  expect(endOf([words, { choices: [], usage }])?.finishReasons).toEqual(stop)
  expect(endOf([words])).toBeNull()
  expect(
    endOf([words, { choices: [], usage: { prompt_tokens: 22, completion_tokens: 0 } }]),
  ).toBeNull()
})

test('without a finish reason, a response with a tool call ends with it, arguments included', () => {
  const call = { index: 0, id: 'a', type: 'function', function: { name: 'now', arguments: '' } }
  const called = { choices: [{ index: 0, delta: { tool_calls: [call] } }] }
  const end = endOf([called, { choices: [], usage }])
  expect(end?.finishReasons).toEqual([{ index: 0, reason: 'tool_calls' }])
  expect(end?.calls.at(-1)).toMatchObject({ index: 0, function: { arguments: '{}' } })
})

test('an error after the finish reason takes nothing from the response, and its usage counts', () => {
  const cut = { choices: [{ index: 0, delta: { content: 'a' }, finish_reason: 'length' }] }
  const error = { code: 400, message: 'Token limit reached' }
  const end = endOf([cut, { error, choices: [{ index: 0, finish_reason: null }], usage }])
  expect(end?.finishReasons).toEqual([{ index: 0, reason: 'length' }])
  expect(end?.usage).toMatchObject({ inputTokens: 22, outputTokens: 5 })
})

test('an error after the finish reason `error` is that failure', () => {
  const broken = { choices: [{ index: 0, delta: { content: 'a' }, finish_reason: 'error' }] }
  expect(() => endOf([broken, { error: { code: 429 } }])).toThrow('HTTP 429')
})
