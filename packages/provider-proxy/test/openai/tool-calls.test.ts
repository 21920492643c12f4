import type { ChatChunk } from '@farebox/api'
import { expect, test } from 'vitest'
import { customProfile } from '../../src/index.ts'
import { createOpenAiReader } from '../../src/openai/openai-reader.ts'
import { createCompletionBody } from '../../src/relay/completion-body.ts'
import { chatCall } from '../support/call.ts'

type Piece = {
  readonly index?: number
  readonly id?: string
  readonly name?: string
  readonly text?: string
}

const frame = { id: 'chatcmpl-0', created: 1, model: 'maker/model', provider: 'test' }
let responses = 0

/** The tool calls of a response that comes in these pieces, one to a chunk, with its finish. */
function callsOf(pieces: readonly Piece[]) {
  responses += 1
  const own = { ...frame, id: `chatcmpl-${responses}` }
  const reader = createOpenAiReader(own, chatCall('hi'), customProfile)
  const body = createCompletionBody(own)
  const emit = (chunk: ChatChunk): void => body.add(chunk)
  const read = (choice: object): unknown =>
    reader.read({ name: undefined, data: JSON.stringify({ choices: [choice] }) }, emit)
  for (const { index, id, name, text } of pieces) {
    const call = { index, id, function: { name, arguments: text } }
    read({ index: 0, delta: { tool_calls: [call] } })
  }
  read({ index: 0, delta: {}, finish_reason: 'tool_calls' })
  const { choices } = body.finished(reader.end()?.finishReasons ?? [])(null)
  return choices[0]?.message.tool_calls ?? []
}

function summary(pieces: readonly Piece[]): readonly string[] {
  return callsOf(pieces).map(
    ({ id, function: { name, arguments: args } }) => `${id.slice(0, 5)} ${name} ${args}`,
  )
}

test.each<[string, readonly Piece[], readonly string[]]>([
  [
    'in pieces',
    [
      { index: 0, id: 'a', name: 'f', text: '{"x"' },
      { index: 0, text: ':1}' },
    ],
    ['a f {"x":1}'],
  ],
  [
    'of which two share an index',
    [
      { index: 0, id: 'a', name: 'f', text: '{"x":1}' },
      { index: 0, id: 'b', name: 'f', text: '{"y":2}' },
    ],
    ['a f {"x":1}', 'b f {"y":2}'],
  ],
  [
    'that share an index and have no id',
    [
      { index: 0, name: 'f', text: '{"x":1}' },
      { index: 0, name: 'f', text: '{"y":2}' },
    ],
    ['call_ f {"x":1}', 'call_ f {"y":2}'],
  ],
  [
    'without an index',
    [{ id: 'a', name: 'f', text: '{"x"' }, { text: ':1}' }, { id: 'b', name: 'g', text: '{}' }],
    ['a f {"x":1}', 'b g {}'],
  ],
  [
    'whose later pieces repeat id and name',
    [
      { index: 0, id: 'a', name: 'f', text: '{"x"' },
      { index: 0, id: 'a', name: 'f', text: ':1}' },
    ],
    ['a f {"x":1}'],
  ],
  [
    'whose later pieces have random ids and no name',
    [
      { index: 0, id: 'a', name: 'f', text: '{"x"' },
      { index: 0, id: 'b', text: ':1}' },
    ],
    ['a f {"x":1}'],
  ],
  [
    'that alternate',
    [
      { index: 1, id: 'a', name: 'f' },
      { index: 2, id: 'b', name: 'g' },
      { index: 1, text: '{"x":1}' },
      { index: 2, text: '{"y":2}' },
    ],
    ['a f {"x":1}', 'b g {"y":2}'],
  ],
  [
    'that share an id',
    [
      { index: 0, id: 'a', name: 'f', text: '{}' },
      { index: 1, id: 'a', name: 'g', text: '{"y"' },
      { index: 1, text: ':2}' },
    ],
    ['a f {}', 'call_ g {"y":2}'],
  ],
  [
    'with an id that is not accepted as history',
    [{ index: 0, id: 'a'.repeat(257), name: 'f', text: '{}' }],
    ['call_ f {}'],
  ],
  [
    'whose name comes later',
    [
      { index: 0, id: 'a', text: '{"x"' },
      { index: 1, id: 'b', name: 'g', text: '{}' },
      { index: 0, name: 'f' },
      { index: 0, text: ':1}' },
    ],
    ['b g {}', 'a f {"x":1}'],
  ],
  [
    'next to an empty one without a name',
    [
      { index: 0, id: 'a', name: 'f', text: '{}' },
      { index: 1, id: '', name: '', text: '' },
    ],
    ['a f {}'],
  ],
  ['without arguments', [{ index: 0, id: 'a', name: 'f', text: '' }], ['a f {}']],
])('calls %s', (_, pieces, expected) => {
  expect(summary(pieces)).toEqual(expected)
})

test('a call without arguments gets empty ones once, although its finish reason is repeated', () => {
  const reader = createOpenAiReader(frame, chatCall('hi'), customProfile)
  const body = createCompletionBody(frame)
  const call = { index: 0, id: 'a', function: { name: 'now', arguments: '' } }
  for (const choice of [
    { delta: { tool_calls: [call] } },
    { delta: {}, finish_reason: 'tool_calls' },
    { delta: { role: 'assistant', content: '' }, finish_reason: 'tool_calls' },
  ]) {
    const data = JSON.stringify({ choices: [{ index: 0, ...choice }] })
    reader.read({ name: undefined, data }, body.add)
  }
  const [answer] = body.finished(reader.end()?.finishReasons ?? [])(null).choices
  expect(answer?.message.tool_calls?.map((one) => one.function.arguments)).toEqual(['{}'])
})

test('more calls than any answer has are a failure of the provider', () => {
  const pieces = Array.from({ length: 1_025 }, (_, index) => ({ index, name: 'f', text: '{}' }))
  expect(callsOf(pieces.slice(1))).toHaveLength(1_024)
  expect(() => callsOf(pieces)).toThrow('test sent a tool call after 1024 others')
})

test('generated ids are unique across responses', () => {
  const ids = [1, 2].flatMap(() => callsOf([{ name: 'f' }, { name: 'g' }]).map(({ id }) => id))
  expect(new Set(ids).size).toBe(4)
  for (const id of ids) expect(id).toMatch(/^call_[A-Za-z0-9_]{1,35}$/)
})

test('a call with arguments and no name is a failure of the provider', () => {
  const pieces = [
    { index: 0, id: 'a', name: 'f', text: '{}' },
    { index: 1, id: 'b', text: '{"x":1}' },
  ]
  expect(() => callsOf(pieces)).toThrow('test sent a tool call without a name')
})

test.each([
  ['characters', Array.from({ length: 20 }, () => ({ index: 0, text: 'x'.repeat(4_000) }))],
  ['pieces', Array.from({ length: 1_100 }, (_, index) => ({ index }))],
])('too many %s of calls without a name are a failure before the name comes', (_, pieces) => {
  const late = [...pieces, ...pieces.map(({ index }) => ({ index, name: 'f' }))]
  expect(() => callsOf(late)).toThrow('test sent a tool call without a name')
})
