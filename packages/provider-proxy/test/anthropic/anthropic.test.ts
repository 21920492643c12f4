import { expect, test } from 'vitest'
import { type ChatCall, collectCompletion, createAnthropicProvider } from '../../src/index.ts'
import { chatCall } from '../support/call.ts'
import { closingAfterEach } from '../support/closing.ts'
import { startProviderServer } from '../support/provider-server.ts'
import { type ScriptedProvider, scriptedProviders } from '../support/scripted-provider.ts'
import { block, finish, hello, named, start } from './events.ts'

const open = closingAfterEach()
const setUp = scriptedProviders(
  (url) => createAnthropicProvider({ apiKey: 'key-1', baseUrl: `${url}/v1` }),
  open,
)

async function complete({ provider }: ScriptedProvider, call: ChatCall = chatCall('hi')) {
  const outcome = await collectCompletion(await provider.open(call))
  return { outcome, choice: outcome.completion(null).choices[0] }
}

test('text, thinking and usage with its cache counts', async () => {
  const thinking = block(
    0,
    { type: 'thinking', thinking: '', signature: '' },
    { type: 'thinking_delta', thinking: 'Let me ' },
    { type: 'thinking_delta', thinking: 'see.' },
    { type: 'signature_delta', signature: 'EqQBCgIYAhIM' },
  )
  const text = block(1, { type: 'text', text: '' }, { type: 'text_delta', text: 'Hello' })
  const ping = named({ type: 'ping' })
  const { outcome, choice } = await complete(
    await setUp(start + ping + thinking + text + finish('end_turn')),
  )
  expect(choice).toEqual({
    index: 0,
    message: {
      role: 'assistant',
      content: 'Hello',
      reasoning: 'Let me see.',
      reasoning_details: [
        {
          type: 'reasoning.text',
          format: 'anthropic-claude-v1',
          index: 0,
          text: 'Let me see.',
          signature: 'EqQBCgIYAhIM',
        },
      ],
      refusal: null,
    },
    logprobs: null,
    finish_reason: 'stop',
  })
  expect(outcome.usage).toMatchObject({
    inputTokens: 37,
    outputTokens: 15,
    cacheReadTokens: 5,
    cacheWriteTokens: 7,
    source: 'provider',
  })
})

test('tool calls are joined from pieces of JSON', async () => {
  const text = block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'Looking.' })
  const tools = ['San Francisco', 'Paris'].map((place, at) =>
    block(
      at + 1,
      { type: 'tool_use', id: `toolu_${at}`, name: 'weather', input: {} },
      { type: 'input_json_delta', partial_json: '' },
      { type: 'input_json_delta', partial_json: '{"location":' },
      { type: 'input_json_delta', partial_json: ` "${place}"}` },
    ),
  )
  const { choice } = await complete(await setUp(start + text + tools.join('') + finish('tool_use')))
  expect(choice?.finish_reason).toBe('tool_calls')
  expect(choice?.message.tool_calls).toEqual([
    {
      id: 'toolu_0',
      type: 'function',
      function: { name: 'weather', arguments: '{"location": "San Francisco"}' },
    },
    {
      id: 'toolu_1',
      type: 'function',
      function: { name: 'weather', arguments: '{"location": "Paris"}' },
    },
  ])
})

test('a tool call without arguments has an empty object', async () => {
  const tool = { type: 'tool_use', id: 'toolu_0', name: 'now', input: {} }
  const text = block(0, tool, { type: 'input_json_delta', partial_json: '' })
  const { choice } = await complete(await setUp(start + text + finish('tool_use')))
  expect(choice?.message.tool_calls).toMatchObject([{ function: { arguments: '{}' } }])
})

test('tools that run at Anthropic are not calls for the client', async () => {
  const json = { type: 'input_json_delta', partial_json: '{"query":"x"}' }
  const text =
    block(0, { type: 'server_tool_use', id: 'srvtoolu_0', name: 'web_search', input: {} }, json) +
    block(1, { type: 'tool_use', id: 'toolu_0', name: 'f', input: {} }, json)
  const { choice } = await complete(await setUp(start + text + finish('tool_use')))
  expect(choice?.message.tool_calls).toEqual([
    { id: 'toolu_0', type: 'function', function: { name: 'f', arguments: '{"query":"x"}' } },
  ])
})

test.each([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['pause_turn', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'content_filter'],
])('the stop reason %s is %s', async (reason, expected) => {
  const { choice } = await complete(await setUp(start + hello + finish(reason)))
  expect(choice?.finish_reason).toBe(expected)
})

test('usage is cumulative: the last counts are final', async () => {
  const usage = {
    input_tokens: 30,
    output_tokens: 12,
    output_tokens_details: { thinking_tokens: 9 },
  }
  const early = named({ type: 'message_delta', delta: {}, usage: { output_tokens: 4 } })
  const { outcome } = await complete(await setUp(start + hello + early + finish('end_turn', usage)))
  expect(outcome.usage).toMatchObject({ inputTokens: 42, outputTokens: 12, reasoningTokens: 9 })
})

test('the output count of the first event is not taken for the total', async () => {
  const { outcome } = await complete(await setUp(start + hello + finish('end_turn', {})))
  expect(outcome.usage).toBeNull()
})

test.each([
  ['no stop reason', named({ type: 'message_stop' })],
  ['an end', ''],
  ['a second message', start + hello + finish('end_turn')],
  ['no JSON', 'event: message_delta\ndata: oops\n\n'],
])('%s in the middle is an incomplete response', async (_, rest) => {
  const { provider } = await setUp(start + hello + rest)
  const stream = await provider.open(chatCall('hi'))
  await expect(collectCompletion(stream)).rejects.toMatchObject({ code: 'upstream_truncated' })
})

test('an error in the middle has the code of what it names', async () => {
  const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'x' } }
  const { provider } = await setUp(start + hello + named(overloaded))
  const stream = await provider.open(chatCall('hi'))
  await expect(collectCompletion(stream)).rejects.toMatchObject({
    code: 'upstream_unavailable',
    status: 529,
    message: 'anthropic failed in the middle of its response (HTTP 529)',
  })
})

test('a message that stopped is complete without its last event', async () => {
  const [delta = ''] = finish('end_turn').split('event: message_stop')
  const { choice } = await complete(await setUp(start + hello + delta))
  expect(choice?.message.content).toBe('Hello!')
})

test('the request is shaped for the Messages API', async () => {
  const set = await setUp(start + hello + finish('end_turn'))
  const tool = { name: 'weather', description: 'Tells', parameters: { type: 'object' } }
  const request = {
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'weather', arguments: '{"at":"Paris"}' } },
          { id: 'b', type: 'function', function: { name: 'weather', arguments: 'no JSON' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: 'Sun' },
      { role: 'tool', tool_call_id: 'b', content: 'Rain' },
      { role: 'developer', content: 'In French.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'And this?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          { type: 'image_url', image_url: { url: 'https://a.example/b.png' } },
        ],
      },
    ],
    stop: 'END',
    tools: [{ type: 'function', function: tool }],
    tool_choice: 'required',
    parallel_tool_calls: false,
    user: 'client-user',
    metadata: { secret: 'client-metadata' },
  }
  await complete(set, chatCall('', { request, temperature: 1.7, upstreamModel: 'claude-x' }))
  const [received] = set.server.received
  expect(received?.path).toBe('/v1/messages')
  expect(received?.headers).toMatchObject({
    'x-api-key': 'key-1',
    'anthropic-version': '2023-06-01',
    'accept-encoding': 'identity',
  })
  expect(received?.headers.authorization).toBeUndefined()
  expect(received?.body).toEqual({
    model: 'claude-x',
    max_tokens: 64,
    stream: true,
    system: 'Be brief.\n\nIn French.',
    temperature: 1,
    stop_sequences: ['END'],
    tools: [{ name: 'weather', description: 'Tells', input_schema: { type: 'object' } }],
    tool_choice: { type: 'any', disable_parallel_tool_use: true },
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Weather?' }] },
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'a', name: 'weather', input: { at: 'Paris' } },
          { type: 'tool_use', id: 'b', name: 'weather', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: 'Sun' },
          { type: 'tool_result', tool_use_id: 'b', content: 'Rain' },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'And this?' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
          { type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } },
        ],
      },
    ],
  })
})

test('effort and a schema go into output_config', async () => {
  const set = await setUp(start + hello + finish('end_turn'))
  const schema = { type: 'object', properties: {}, additionalProperties: false }
  const response_format = { type: 'json_schema', json_schema: { name: 's', schema } }
  await complete(set, chatCall('hi', { request: { reasoning_effort: 'low', response_format } }))
  await complete(set, chatCall('hi', { request: { reasoning_effort: 'none' } }))
  expect(set.server.received.map(({ body }) => body['output_config'])).toEqual([
    { effort: 'low', format: { type: 'json_schema', schema } },
    undefined,
  ])
})

const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }]
const thinks = { type: 'adaptive', display: 'summarized' }
const low = { reasoning_effort: 'low' }
const budgeted = { type: 'enabled', budget_tokens: 2048 }

/** A turn that a model of another maker began. */
function begun(): readonly object[] {
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }
  const result = { role: 'tool', tool_call_id: 'a', content: 'done' }
  return [{ role: 'user', content: 'hi' }, { role: 'assistant', tool_calls: [call] }, result]
}

test.each([
  ['claude-opus-5', {}, undefined, 0.7],
  ['claude-opus-5', { reasoning_effort: 'none' }, { type: 'disabled' }, 0.7],
  ['claude-sonnet-4-6', low, thinks, undefined],
  ['claude-sonnet-4-6', { ...low, reasoning: { exclude: true } }, omits(), undefined],
  ['claude-sonnet-4-6', { ...low, reasoning: { enabled: false } }, { type: 'disabled' }, 0.7],
  ['claude-sonnet-4-6', { ...low, temperature: 0.7 }, undefined, 0.7],
  ['claude-sonnet-4-6', { ...low, tools, tool_choice: 'required' }, undefined, 0.7],
  ['claude-opus-4-5', low, undefined, 0.7],
  ['claude-opus-4-5-20251101', low, undefined, 0.7],
  ['claude-haiku-5-5', low, thinks, undefined],
  ['claude-haiku-4-5', { reasoning: { max_tokens: 2048 } }, budgeted, undefined],
  ['claude-opus-4-5', { ...low, reasoning: { max_tokens: 2048 } }, budgeted, undefined],
  ['claude-haiku-4-5', { reasoning: { max_tokens: 2048 }, messages: begun() }, undefined, 0.7],
])('%s with %j: thinking is %j', async (upstreamModel, request, thinking, temperature) => {
  const set = await setUp(start + hello + finish('end_turn'))
  await complete(set, chatCall('hi', { upstreamModel, request, temperature: 0.7 }))
  const body = set.server.received[0]?.body
  expect([body?.['thinking'], body?.['temperature']]).toEqual([thinking, temperature])
})

function omits(): object {
  return { type: 'adaptive', display: 'omitted' }
}

test('foreign ids of calls are mapped, and white space ends no last assistant turn', async () => {
  const set = await setUp(start + hello + finish('end_turn'))
  const call = { id: 'functions.f:0', type: 'function', function: { name: 'f', arguments: '{}' } }
  const messages = [
    { role: 'user', content: 'hi' },
    { role: 'assistant', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'functions.f:0', content: 'ok' },
    { role: 'assistant', content: 'So: ' },
  ]
  await complete(set, chatCall('', { request: { messages } }))
  const id = expect.stringMatching(/^[a-f0-9]{24}$/)
  expect(set.server.received[0]?.body).toMatchObject({
    messages: [
      {},
      { content: [{ type: 'tool_use', id }] },
      { content: [{ type: 'tool_result', tool_use_id: id }] },
      { content: [{ type: 'text', text: 'So:' }] },
    ],
  })
})

test('white space alone is left out of earlier answers', async () => {
  const set = await setUp(start + hello + finish('end_turn'))
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }
  const messages = [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: '\n\n', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'a', content: 'ok' },
    { role: 'assistant', content: ' \n' },
    { role: 'user', content: 'And?' },
  ]
  await complete(set, chatCall('', { request: { messages } }))
  expect(set.server.received[0]?.body['messages']).toMatchObject([
    { role: 'user' },
    { role: 'assistant', content: [{ type: 'tool_use' }] },
    { role: 'user', content: [{ type: 'tool_result' }] },
    { role: 'user', content: [{ text: 'And?' }] },
  ])
})

test('a default temperature yields to top_p; a system message alone becomes a user turn', async () => {
  const set = await setUp(start + hello + finish('end_turn'))
  const request = { messages: [{ role: 'system', content: 'Speak.' }], top_p: 0.9 }
  await complete(set, chatCall('', { request, temperature: 0.7 }))
  expect(set.server.received[0]?.body).toEqual({
    model: 'upstream-model',
    max_tokens: 64,
    stream: true,
    top_p: 0.9,
    messages: [{ role: 'user', content: 'Speak.' }],
  })
})

test.each([
  [400, 'invalid_request_error', 'Your credit balance is too low', 'upstream_unavailable', 1],
  [400, 'invalid_request_error', 'prompt is too long', 'upstream_rejected', 1],
  [402, 'billing_error', 'pay', 'upstream_unavailable', 1],
  [413, 'request_too_large', 'big', 'upstream_rejected', 1],
  [504, 'timeout_error', 'slow', 'upstream_timeout', 1],
  [529, 'overloaded_error', 'busy', 'upstream_unavailable', 3],
])('HTTP %d %s (%s) is %s after %d calls', async (status, type, message, code, calls) => {
  const server = await startProviderServer((response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ type: 'error', error: { type, message }, request_id: 'req' }))
  })
  const provider = createAnthropicProvider({
    apiKey: 'k',
    baseUrl: server.url,
    retry: { baseDelayMs: 1 },
  })
  open.push({ stop: () => provider.close() }, server)
  await expect(provider.open(chatCall('hi'))).rejects.toMatchObject({ code, status })
  expect(server.received).toHaveLength(calls)
})
