import Anthropic from '@anthropic-ai/sdk'
import type { ChatChunk, ChatCompletion, FinishReason } from '@farebox/api'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { messagesWire, responsesWire, type Wire, type WireReply } from '../src/index.ts'
import { textAnswer } from './support/answer.ts'
import { openWireServer } from './support/wire-server.ts'

type Delta = ChatChunk['choices'][number]['delta']

const frame = { id: 'chatcmpl-1', created: 1, model: 'acme/thinker' }
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }

function chunk(delta: Delta, finish_reason: FinishReason | null = null): ChatChunk {
  return {
    ...frame,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason }],
    ...(finish_reason !== null && { usage }),
  }
}

function named(index: number, name: string, args: string): Delta {
  const call = { index, id: `call_${name}`, type: 'function' as const }
  return { tool_calls: [{ ...call, function: { name, arguments: args } }] }
}

function added(index: number, args: string): Delta {
  return { tool_calls: [{ index, function: { arguments: args } }] }
}

async function open(wire: Wire, deltas: readonly Delta[], finish: FinishReason): Promise<string> {
  const chunks = [...deltas.map((delta) => chunk(delta)), chunk({}, finish)]
  const { url } = await openWireServer(wire, [{ ...textAnswer, chunks }].values())
  return url
}

const messagesBody: Anthropic.MessageStreamParams = {
  model: 'acme/thinker',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Go' }],
}

async function streamedMessage(
  deltas: readonly Delta[],
  finish: FinishReason = 'tool_calls',
): Promise<Anthropic.Message> {
  const baseURL = await open(messagesWire, deltas, finish)
  const client = new Anthropic({ baseURL, apiKey: 'none', maxRetries: 0 })
  return client.messages.stream(messagesBody).finalMessage()
}

async function streamedOutput(
  deltas: readonly Delta[],
): Promise<readonly OpenAI.Responses.ResponseOutputItem[]> {
  const baseURL = await open(responsesWire, deltas, 'tool_calls')
  const client = new OpenAI({ baseURL, apiKey: 'none', maxRetries: 0 })
  const { output } = await client.responses
    .stream({ model: 'acme/thinker', input: 'Go' })
    .finalResponse()
  return output
}

describe.each<[string, readonly Delta[], readonly (readonly [string, object])[]]>([
  [
    'the arguments of a call without any come after the next call has begun',
    [named(0, 'now', ''), named(1, 'look', '{"at":'), added(1, '1}'), added(0, '{}')],
    [
      ['now', {}],
      ['look', { at: 1 }],
    ],
  ],
  [
    'the arguments of three calls come in turns',
    [
      named(0, 'a', '{"x"'),
      named(1, 'b', ''),
      named(2, 'c', '{"z"'),
      added(0, ':1}'),
      added(2, ':3}'),
      added(1, '{"y":2}'),
    ],
    [
      ['a', { x: 1 }],
      ['b', { y: 2 }],
      ['c', { z: 3 }],
    ],
  ],
  [
    'an earlier call is repeated while the next has no arguments yet',
    [named(0, 'a', '{"x":1}'), named(1, 'b', ''), added(0, ''), added(1, '{}')],
    [
      ['a', { x: 1 }],
      ['b', {}],
    ],
  ],
  [
    'an earlier call is repeated without arguments at the end',
    [named(0, 'a', '{"x":1}'), named(1, 'b', '{}'), added(0, ''), added(1, '')],
    [
      ['a', { x: 1 }],
      ['b', {}],
    ],
  ],
])('%s', (_, deltas, calls) => {
  test('each call is one block of a message', async () => {
    const { content } = await streamedMessage(deltas)
    expect(content).toMatchObject(
      calls.map(([name, input]) => ({ type: 'tool_use', id: `call_${name}`, name, input })),
    )
    expect(content).toHaveLength(calls.length)
  })

  test('each call is one item of a response', async () => {
    const output = await streamedOutput(deltas)
    const read = output.map((item) =>
      item.type === 'function_call' ? [item.call_id, item.name, JSON.parse(item.arguments)] : item,
    )
    expect(read).toEqual(calls.map(([name, input]) => [`call_${name}`, name, input]))
  })
})

test('text after a call without arguments follows it', async () => {
  const { content } = await streamedMessage([
    named(0, 'now', ''),
    { content: 'I look' },
    { content: ' now.' },
    added(0, '{}'),
  ])
  expect(content).toMatchObject([
    { type: 'tool_use', name: 'now', input: {} },
    { type: 'text', text: 'I look now.' },
  ])
})

test('a message that calls tools ends with `tool_use`, also where a forced call ends with `stop`', async () => {
  expect((await streamedMessage([named(0, 'a', '{}')], 'stop')).stop_reason).toBe('tool_use')
  expect((await streamedMessage([named(0, 'a', '{}')], 'length')).stop_reason).toBe('max_tokens')
  expect((await streamedMessage([{ content: 'Hi' }], 'stop')).stop_reason).toBe('end_turn')
})

test('arguments of null become an empty input', async () => {
  const { content } = await streamedMessage([named(0, 'a', 'null'), named(1, 'b', '{}')])
  expect(content).toMatchObject([{ name: 'a' }, { name: 'b', input: {} }])
  const completion = completionOf('null', 'tool_calls')
  expect(messagesReply().canExpress?.(completion)).toBe(true)
  expect(messagesReply().body(completion)).toMatchObject({ content: [{ input: {} }] })
})

test.each(['{"x":1', '[1]', '"x"'])(
  'arguments of %s are an error of a message: a client would run the call without them',
  async (args) => {
    const deltas = [named(0, 'a', args), named(1, 'b', '{}')]
    await expect(streamedMessage(deltas)).rejects.toThrow('are not a JSON object')
    expect(messagesReply().canExpress?.(completionOf(args, 'tool_calls'))).toBe(false)
    expect(messagesReply().canExpress?.(completionOf(args, 'stop'))).toBe(false)
  },
)

test('the block of a call with broken arguments is not closed', async () => {
  const stream = messagesReply().openStream({ inputTokens: 1 })
  const text = [chunk(named(0, 'a', '{"x":1')), chunk({}, 'tool_calls')].map(stream.push).join('')
  expect(text + stream.end()).not.toContain('content_block_stop')
})

test('arguments that max_tokens cuts off end with that stop reason', async () => {
  const message = await streamedMessage([named(0, 'a', '{"x":1')], 'length')
  expect(message.stop_reason).toBe('max_tokens')
  expect(messagesReply().canExpress?.(completionOf('{"x":1', 'length'))).toBe(true)
})

test.each([[null], [[1]], ['x']])('an input of %j is taken back as an empty one', (input) => {
  const content = [{ type: 'tool_use', id: 'call_a', name: 'a', input }]
  const result = { type: 'tool_result', tool_use_id: 'call_a', content: 'done' }
  const messages = [
    { role: 'assistant', content },
    { role: 'user', content: [result] },
  ]
  expect(messagesWire.read({ ...messagesBody, messages })).toMatchObject({
    status: 'translated',
    chat: { messages: [{ tool_calls: [{ function: { arguments: '{}' } }] }, { role: 'tool' }] },
  })
})

function messagesReply(): WireReply {
  const read = messagesWire.read(messagesBody)
  if (read.status === 'refused') throw new Error(read.problem.message)
  return read.reply
}

/** An answer that calls one tool. */
function completionOf(args: string, finish_reason: FinishReason): ChatCompletion {
  const call = { id: 'call_a', type: 'function' as const, function: { name: 'a', arguments: args } }
  const message = { role: 'assistant' as const, content: null, refusal: null, tool_calls: [call] }
  const choices = [{ index: 0, message, logprobs: null, finish_reason }]
  return { ...textAnswer.completion, choices }
}
