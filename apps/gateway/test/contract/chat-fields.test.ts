import { chatParameters } from '@farebox/catalogs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'
import { chatPath, post, signPayment } from '../support/sign-payment.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await openGateway()
})
afterAll(() => gateway.stop())

const model = 'openai/gpt-4.1-mini'
const user = { role: 'user', content: 'Hello' }
const tool = {
  type: 'function',
  function: { name: 'f', parameters: { type: 'object', properties: {} } },
}
const call = { id: '1', type: 'function', function: { name: 'f', arguments: '{}' } }
const image = { type: 'image_url', image_url: { url: 'https://a.example/b.png' } }

const nulls = Object.fromEntries(
  [
    ...chatParameters,
    'max_tokens',
    'max_completion_tokens',
    'stream',
    'stream_options',
    'user',
    'metadata',
    'store',
  ].map((name) => [name, null]),
)

type Fields = Readonly<Record<string, unknown>>

function ask(fields: Fields): Fields {
  return { model, messages: [user], ...fields }
}

const allowed = { mode: 'auto', tools: [{ type: 'function', function: { name: 'f' } }] }

const accepted: readonly Fields[] = [
  {},
  { model: null },
  nulls,
  { max_tokens: 1 },
  { max_completion_tokens: 10 },
  { max_tokens: 10, max_completion_tokens: 10 },
  { temperature: 0 },
  { temperature: 2 },
  { stream: true, stream_options: { include_usage: true } },
  { n: 8, max_tokens: 100 },
  { top_p: 0.5, seed: 7, frequency_penalty: -2, presence_penalty: 2 },
  { stop: 'x' },
  { stop: ['a', 'b', 'c', 'd'] },
  { logit_bias: { 50256: -100 } },
  { logprobs: true, top_logprobs: 5 },
  { response_format: { type: 'json_object' } },
  {
    response_format: {
      type: 'json_schema',
      json_schema: { name: 's', schema: { type: 'object' } },
    },
  },
  { tools: [tool], tool_choice: 'required', parallel_tool_calls: false },
  { tools: [tool], tool_choice: { type: 'function', function: { name: 'f' } } },
  { tools: [tool], tool_choice: { type: 'allowed_tools', allowed_tools: allowed } },
  { user: 'u', metadata: { a: 'b' }, store: false },
  { prompt_cache_key: 'k', prompt_cache_retention: '24h', safety_identifier: 's' },
  { service_tier: 'auto', modalities: ['text'], tools: [], stop: [] },
  { tool_choice: 'auto', parallel_tool_calls: true },
  { tool_choice: 'none', parallel_tool_calls: false, functions: [], function_call: 'none' },
  { prompt_cache_options: { mode: 'implicit', ttl: '30m' }, session_id: 's' },
  { audio: null, moderation: null, prediction: null, web_search_options: null, thinking: null },
  { plugins: [], route: null, include_reasoning: true, top_a: 0, best_of: 1 },
  { models: ['openai/gpt-4.1', 'google/gemini-2.5-flash'] },
  { provider: { order: ['sandbox', 'openai'], ignore: ['Groq'], allow_fallbacks: false } },
  { provider: { require_parameters: true, data_collection: 'allow', zdr: false, sort: null } },
  { provider: {}, transforms: [], usage: { include: true }, reasoning: {} },
  { reasoning: { enabled: false, exclude: true } },
  { reasoning: { effort: 'none' }, reasoning_effort: 'none' },
  { model: 'openai/gpt-5-mini', reasoning: { effort: 'low' }, verbosity: 'low' },
  ...['openai/gpt-5-mini', 'anthropic/claude-opus-4.8', 'openai/o3', 'google/gemini-2.5-flash'].map(
    (id) => ({
      model: id,
      n: 1,
      temperature: 1,
      top_p: 1,
      frequency_penalty: 0,
      presence_penalty: 0,
      logit_bias: {},
      logprobs: false,
      top_logprobs: 0,
      response_format: { type: 'text' },
      verbosity: 'medium',
      top_k: 0,
      min_p: 0,
      repetition_penalty: 1,
    }),
  ),
  { messages: [{ role: 'developer', content: 'd' }, { role: 'system', content: 's' }, user] },
  { messages: [{ role: 'user', name: 'bob', content: [{ type: 'text', text: 'x' }, image] }] },
  {
    messages: [
      user,
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: '1', content: 'r' },
    ],
  },
  { messages: [{ role: 'user', content: '漢'.repeat(100_000) }] },
  { messages: Array.from({ length: 100 }, () => user) },
  {
    messages: [
      user,
      { role: 'assistant', content: '', reasoning: 'so', refusal: null, tool_calls: [] },
      user,
    ],
  },
  {
    messages: [
      user,
      { role: 'assistant', content: null, tool_calls: [{ ...call, index: 0 }], annotations: [] },
      { role: 'tool', tool_call_id: '1', content: 'r', name: 'f' },
    ],
  },
]

const refused: readonly (readonly [Fields, string])[] = [
  [{ messages: undefined }, 'messages'],
  [{ messages: [] }, 'messages'],
  [{ messages: Array.from({ length: 101 }, () => user) }, 'messages'],
  [{ messages: [{ ...user, content: '' }] }, 'messages[0].content'],
  [{ messages: [{ ...user, content: 'a'.repeat(100_001) }] }, 'messages[0].content'],
  [{ messages: [{ ...user, content: '😀'.repeat(50_001) }] }, 'messages[0].content'],
  [{ messages: [{ ...user, role: 'function' }] }, 'messages[0].role'],
  [{ messages: [{ ...user, foo: 1 }] }, 'messages[0].foo'],
  [{ messages: [user, { role: 'assistant', content: null }] }, 'messages[1].content'],
  [{ messages: [user, { role: 'tool', content: 'r' }] }, 'messages[1].tool_call_id'],
  [
    { messages: [user, { role: 'tool', tool_call_id: '1', content: 'r' }] },
    'messages[1].tool_call_id',
  ],
  [
    {
      messages: [
        user,
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: '2', content: 'r' },
      ],
    },
    'messages[2].tool_call_id',
  ],
  [
    { messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }] },
    'messages[0].content[0].type',
  ],
  [
    { messages: [{ role: 'user', content: [{ type: 'text', text: 'x', cache_control: {} }] }] },
    'messages[0].content[0].cache_control.type',
  ],
  [{ model: 'no/such' }, 'model'],
  [{ model: 'a b' }, 'model'],
  [{ model: 'constructor' }, 'model'],
  [{ max_tokens: 0 }, 'max_tokens'],
  [{ max_tokens: 128_001 }, 'max_tokens'],
  [{ max_tokens: 1.5 }, 'max_tokens'],
  [{ max_tokens: 100_000 }, 'max_tokens'],
  [{ max_tokens: 1, max_completion_tokens: 2 }, 'max_completion_tokens'],
  [{ temperature: 2.1 }, 'temperature'],
  [{ temperature: '1' }, 'temperature'],
  [{ stream: 'yes' }, 'stream'],
  [{ n: 9 }, 'n'],
  [{ n: 1.5 }, 'n'],
  [{ tool_choice: 'required' }, 'tool_choice'],
  [
    { tools: [tool], tool_choice: { type: 'function', function: { name: 'g' } } },
    'tool_choice.function.name',
  ],
  [{ tools: [{ type: 'web_search' }] }, 'tools[0].type'],
  [{ tools: [{ ...tool, function: { ...tool.function, x: 1 } }] }, 'tools[0].function.x'],
  [{ stream_options: { x: 1 } }, 'stream_options.x'],
  [{ reasoning_effort: 'low' }, 'reasoning_effort'],
  [{ service_tier: 'priority' }, 'service_tier'],
  [{ web_search_options: {} }, 'web_search_options'],
  [{ plugins: [{ id: 'web' }] }, 'plugins'],
  [{ audio: { voice: 'alloy', format: 'mp3' } }, 'audio'],
  [{ prediction: { type: 'content', content: 'x' } }, 'prediction'],
  [{ moderation: { model: 'm' } }, 'moderation'],
  [{ functions: [{ name: 'f' }] }, 'functions'],
  [{ function_call: { name: 'f' } }, 'function_call'],
  [{ include_reasoning: false }, 'include_reasoning'],
  [{ top_a: 0.5 }, 'top_a'],
  [{ best_of: 2 }, 'best_of'],
  [{ models: ['openai/gpt-4.1', 'a/b'] }, 'models[1]'],
  [{ provider: { order: ['a'] } }, 'provider.order[0]'],
  [{ provider: { only: ['openai'] } }, 'provider'],
  [{ provider: { quantizations: ['fp8'] } }, 'provider.quantizations'],
  [{ store: true }, 'store'],
  [{ top_k: 40 }, 'top_k'],
  [{ verbosity: 'low' }, 'verbosity'],
  [{ reasoning: { effort: 'low' } }, 'reasoning.effort'],
  [{ reasoning: { enabled: true } }, 'reasoning.enabled'],
  [{ reasoning: { max_tokens: 9 } }, 'reasoning.max_tokens'],
  [{ model: 'openai/gpt-5-mini', reasoning: { max_tokens: 4096 } }, 'reasoning.max_tokens'],
  [{ cache_control: {} }, 'cache_control'],
  [{ frobnicate: null }, 'frobnicate'],
  [
    { model: 'openai/gpt-4', messages: [{ role: 'user', content: [image] }] },
    'messages[0].content[0]',
  ],
]

/** Enough to tell the cases apart: some have 100,000 characters. */
function beginningOf(fields: Fields): string {
  return JSON.stringify(fields).slice(0, 120)
}

describe('a request that the estimate accepts', () => {
  test.each(accepted.map((fields) => [beginningOf(fields), fields] as const))(
    'has the same price on the paid path: %s',
    async (_, fields) => {
      const body = ask(fields)
      const estimate = await post(gateway, '/v1/estimate', { body })
      const challenge = await post(gateway, chatPath, { body })
      expect([estimate.status, challenge.status]).toEqual([200, 402])
      const { estimatedCost } = await estimate.json()
      expect((await challenge.json()).quote.maximum.usd).toBe(estimatedCost.usd)
    },
  )
})

describe('a request that the estimate refuses', () => {
  test.each(refused.map(([fields, param]) => [beginningOf(fields), param, fields] as const))(
    '%s names %s, and the paid path refuses it with the same error',
    async (_, param, fields) => {
      const body = ask(fields)
      const estimate = await post(gateway, '/v1/estimate', { body })
      const challenge = await post(gateway, chatPath, { body })
      expect([estimate.status, challenge.status]).toEqual([400, 400])
      const said = await estimate.json()
      expect(said.error).toMatchObject({ type: 'invalid_request_error', param })
      expect(said.error.message).toContain(param)
      expect(await challenge.json()).toEqual(said)
    },
  )
})

test('every listed model can be estimated with its defaults', async () => {
  const list = await (await fetch(`${gateway.url}/v1/models`)).json()
  const refusals: unknown[] = []
  for (const { id } of list.models) {
    const answer = await post(gateway, '/v1/estimate', { body: { model: id, messages: [user] } })
    if (answer.status !== 200) refusals.push([id, await answer.json()])
  }
  expect(refusals).toEqual([])
  expect(list.total).toBe(list.models.length)
})

test.each([
  ['openai/gpt-4.1-mini', 0.7],
  ['openai/gpt-5-mini', undefined],
  ['anthropic/claude-sonnet-4.5', 0.7],
])('%s is called with temperature %s, and with max_tokens', async (id, temperature) => {
  const label = id.replace(/\W/g, '_')
  const body = { model: id, messages: [{ role: 'user', content: `[[sandbox: label=${label}]]` }] }
  const { v2 } = await signPayment(gateway, 0, { body })
  const answer = await post(gateway, chatPath, { body, headers: v2 })
  expect(answer.status).toBe(200)
  await answer.text()
  const sent = gateway.sandbox?.requests.find((request) => request.label === label)?.body
  expect(Object(sent).temperature).toBe(temperature)
  expect(Object(sent).max_tokens ?? Object(sent).max_completion_tokens).toBe(4096)
})
