import { parseWith, widestLimits } from '@farebox/api'
import { expect, test } from 'vitest'
import {
  countTokensWire,
  messagesWire,
  responsesWire,
  translatedRequests,
  type Wire,
} from '../src/index.ts'

const turns = widestLimits.messages / 2

/** Calls and results of tools in turn, as agents send them after hours of work. */
const input = Array.from({ length: turns }, (_, turn) => {
  const call_id = `call_${turn}`
  return [
    { type: 'function_call', id: `fc_${turn}`, call_id, name: 'look', arguments: '{}' },
    { type: 'function_call_output', call_id, output: 'seen' },
  ]
}).flat()
const messages = Array.from({ length: turns }, (_, turn) => [
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Let me see.', signature: 'signed' },
      { type: 'tool_use', id: `call_${turn}`, name: 'look', input: { at: turn } },
    ],
  },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: `call_${turn}`, content: '' }] },
]).flat()

const asked = { max_tokens: 100, model: 'a/b' }

test.each<readonly [string, Wire, object, object]>([
  ['responses', responsesWire, { input }, { input: [...input, input[0]] }],
  ['messages', messagesWire, { ...asked, messages }, { messages: [...messages, messages[0]] }],
  ['count_tokens', countTokensWire, { messages }, { messages: [...messages, messages[0]] }],
])(
  '%s: a conversation of 10,000 items is taken, one more is refused by name',
  (_, wire, body, more) => {
    const { model } = asked
    const read = wire.read({ model, ...body })
    if (read.status === 'refused') throw new Error(read.problem.message)
    expect(parseWith(translatedRequests.schema, read.chat)).toMatchObject({ status: 'valid' })
    const refused = wire.read({ model, ...body, ...more })
    const [field = ''] = Object.keys(more)
    expect(refused).toMatchObject({
      problem: {
        param: field,
        message: expect.stringContaining(`${field} must have at most ${widestLimits.messages}`),
      },
    })
  },
)

test('results of several tools in one message may exceed what a chat completion takes', () => {
  const ids = Array.from({ length: 120 }, (_, index) => `call_${index}`)
  const read = messagesWire.read({
    ...asked,
    messages: [
      { role: 'user', content: 'Look.' },
      {
        role: 'assistant',
        content: ids.map((id) => ({ type: 'tool_use', id, name: 'look', input: {} })),
      },
      { role: 'user', content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id })) },
    ],
  })
  if (read.status === 'refused') throw new Error(read.problem.message)
  const parsed = parseWith(translatedRequests.schema, read.chat)
  expect(parsed.status === 'valid' && parsed.value.messages).toHaveLength(2 + ids.length)
})

test('a list of 150,000 invalid values is refused by name', () => {
  const allowed_callers = Array.from({ length: 150_000 }, () => '')
  const tools = [{ name: 'look', input_schema: {}, allowed_callers }]
  const read = messagesWire.read({ ...asked, messages: [{ role: 'user', content: 'a' }], tools })
  expect(read).toMatchObject({ problem: { param: 'tools[0].allowed_callers[0]' } })
})
