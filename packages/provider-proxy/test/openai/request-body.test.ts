import type { ChatRequest } from '@farebox/api'
import { chatRequestSchema } from '@farebox/api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  anthropicLimits,
  azureProfile,
  cerebrasProfile,
  createOpenAiCompatibleProvider,
  customProfile,
  deepSeekProfile,
  geminiLimits,
  groqProfile,
  mistralProfile,
  moonshotProfile,
  openAiProfile,
  openRouterProfile,
  type ProviderProfile,
  togetherProfile,
  unsupportedField,
  xAiProfile,
  zAiProfile,
} from '../../src/index.ts'
import { chatCall } from '../support/call.ts'
import {
  chunk,
  openEvents,
  type ProviderServer,
  type Received,
  startProviderServer,
} from '../support/provider-server.ts'
import { shippedProfiles } from '../support/shipped-profiles.ts'

let server: ProviderServer

beforeAll(async () => {
  server = await startProviderServer((response) => {
    openEvents(response)
    response.end(`${chunk({ content: 'a' }, { finish: 'stop' })}data: [DONE]\n\n`)
  })
})

afterAll(() => server.stop())

const everything = {
  max_tokens: 64,
  temperature: 0.2,
  stream: true,
  stream_options: { include_usage: false, include_obfuscation: true },
  n: 2,
  top_p: 0.5,
  stop: ['END'],
  seed: 7,
  frequency_penalty: 0.1,
  presence_penalty: 0.2,
  logit_bias: { '50256': -100 },
  logprobs: true,
  top_logprobs: 3,
  response_format: { type: 'json_object' },
  tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
  tool_choice: 'required',
  parallel_tool_calls: false,
  reasoning_effort: 'low',
  verbosity: 'low',
  top_k: 40,
  min_p: 0.1,
  repetition_penalty: 1.1,
  user: 'client-user',
  metadata: { secret: 'client-metadata' },
  store: false,
}

async function sent(profile: ProviderProfile, request: object): Promise<Received> {
  const provider = createOpenAiCompatibleProvider({
    profile,
    apiKey: 'key-1',
    baseUrl: `${server.url}/v1/`,
  })
  const stream = await provider.open(chatCall('hello', { request, temperature: 0.2 }))
  await Array.fromAsync(stream.events)
  await provider.close()
  const received = server.received.at(-1)
  if (received === undefined) throw new Error('nothing was sent')
  return received
}

test('every field that is priced goes upstream, and no other', async () => {
  const { path, headers, body } = await sent(customProfile, everything)
  expect(path).toBe('/v1/chat/completions')
  expect(headers).toMatchObject({
    authorization: 'Bearer key-1',
    'accept-encoding': 'identity',
    'content-type': 'application/json',
  })
  const { user, metadata, store, ...forwarded } = everything
  expect(body).toEqual({
    ...forwarded,
    model: 'upstream-model',
    messages: [{ role: 'user', content: 'hello' }],
    stream_options: { include_usage: true },
  })
  expect(JSON.stringify([headers, body])).not.toMatch(/client-user|client-metadata/)
})

test('a minimal request sends the cap, and the temperature unless the provider fixes it', async () => {
  const { body } = await sent(customProfile, {})
  expect(body).toEqual({
    model: 'upstream-model',
    messages: [{ role: 'user', content: 'hello' }],
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: 64,
    temperature: 0.2,
  })
  expect((await sent(moonshotProfile, {})).body).not.toHaveProperty('temperature')
})

const profiles = shippedProfiles()

test.each(profiles)(
  '$name: exactly one cap is sent, under the provider’s name for it',
  async (profile) => {
    const { body } = await sent(profile, {})
    expect([body.max_tokens, body.max_completion_tokens].filter((cap) => cap === 64)).toHaveLength(
      1,
    )
    expect(body[profile.capField]).toBe(64)
    expect(body.stream).toBe(true)
    expect(body.stream_options !== undefined).toBe(profile.usageFlag)
  },
)

test('OpenRouter gets the rates that were paid, per million tokens', async () => {
  const { body } = await sent(openRouterProfile, {})
  expect(body.provider).toEqual({
    max_price: { prompt: 0.15, completion: 0.6 },
    require_parameters: true,
  })
  for (const profile of profiles) {
    if (profile.name === 'openrouter') continue
    expect((await sent(profile, {})).body.provider).toBeUndefined()
  }
})

test('Mistral has another name for the seed', async () => {
  const { body } = await sent(mistralProfile, { seed: 7 })
  expect(body.random_seed).toBe(7)
  expect(body.seed).toBeUndefined()
})

test('a developer message becomes a system message where the role is unknown', async () => {
  const messages = [
    { role: 'developer', content: 'Be brief.' },
    { role: 'user', content: 'hi', name: 'ann' },
  ]
  const { body } = await sent(deepSeekProfile, { messages })
  expect(body.messages).toEqual([{ role: 'system', content: 'Be brief.' }, messages[1]])
  expect((await sent(openAiProfile, { messages })).body.messages).toEqual(messages)
})

test('a server without a key gets no authorization header', async () => {
  const provider = createOpenAiCompatibleProvider({ profile: customProfile, baseUrl: server.url })
  await provider.open(chatCall('hello'))
  expect(server.received.at(-1)?.headers.authorization).toBeUndefined()
  await provider.close()
})

test('headers add a token to each call, read again each time', async () => {
  const tokens = ['first', 'second']
  const provider = createOpenAiCompatibleProvider({
    profile: azureProfile,
    baseUrl: server.url,
    headers: async () => ({ authorization: `Bearer ${tokens.shift()}` }),
  })
  await provider.open(chatCall('hello'))
  await provider.open(chatCall('hello'))
  const sent = server.received.slice(-2).map(({ headers }) => headers.authorization)
  expect(sent).toEqual(['Bearer first', 'Bearer second'])
  await provider.close()
})

test('a token that cannot be read fails the call before anything is sent', async () => {
  const before = server.received.length
  const provider = createOpenAiCompatibleProvider({
    profile: azureProfile,
    baseUrl: server.url,
    headers: () => Promise.reject(new Error('expired')),
  })
  await expect(provider.open(chatCall('hello'))).rejects.toMatchObject({
    code: 'upstream_unavailable',
    executed: 'no',
  })
  expect(server.received).toHaveLength(before)
  await provider.close()
})

test('Azure has a header of its own for the key', async () => {
  const { headers } = await sent(azureProfile, {})
  expect(headers['api-key']).toBe('key-1')
  expect(headers.authorization).toBeUndefined()
})

test('a provider without a valid base URL throws at construction', () => {
  expect(() => createOpenAiCompatibleProvider({ profile: customProfile })).toThrow(TypeError)
  for (const baseUrl of ['file:///etc', 'localhost', '']) {
    expect(() => createOpenAiCompatibleProvider({ profile: customProfile, baseUrl })).toThrow(
      new TypeError(`baseUrl ${baseUrl} is not an http or https URL`),
    )
  }
})

test('empty arguments of a call in the history become an empty object', async () => {
  const call = { id: 'a', type: 'function', function: { name: 'now', arguments: '' } }
  const messages = [
    { role: 'user', content: 'hi' },
    { role: 'assistant', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'a', content: 'noon' },
  ]
  const { body } = await sent(groqProfile, { messages })
  expect(body.messages).toMatchObject([
    {},
    { tool_calls: [{ id: 'a', function: { name: 'now', arguments: '{}' } }] },
    {},
  ])
})

test('a neutral field is left out, unless leaving it out may mean something else', async () => {
  const neutral = {
    n: 1,
    frequency_penalty: 0,
    presence_penalty: 0,
    logit_bias: {},
    logprobs: false,
    response_format: { type: 'text' },
    parallel_tool_calls: true,
    reasoning_effort: 'none',
  }
  const { tools } = everything
  const plain = (await sent(customProfile, { tools })).body
  expect((await sent(customProfile, { ...neutral, tools })).body).toEqual({
    ...plain,
    parallel_tool_calls: true,
    reasoning_effort: 'none',
  })
  const { body } = await sent(zAiProfile, { ...neutral, tools })
  expect(body).not.toHaveProperty('reasoning_effort')
  const deepSeek = await sent(deepSeekProfile, { ...neutral, tools })
  expect(deepSeek.body).not.toHaveProperty('parallel_tool_calls')
})

test('without tools, no field about them is sent', async () => {
  const plain = (await sent(openAiProfile, {})).body
  const fields = { tool_choice: 'none', parallel_tool_calls: true }
  expect((await sent(openAiProfile, fields)).body).toEqual(plain)
})

const called = [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'What ' },
      { type: 'text', text: 'time?' },
    ],
  },
  {
    role: 'assistant',
    tool_calls: [
      { id: 'functions.now:0', type: 'function', function: { name: 'now', arguments: '{}' } },
      { id: 'abcdefgh9', type: 'function', function: { name: 'now', arguments: '{}' } },
    ],
  },
  { role: 'tool', tool_call_id: 'functions.now:0', content: 'noon' },
  { role: 'tool', tool_call_id: 'abcdefgh9', content: 'noon' },
]

test('DeepSeek gets a JSON schema as JSON mode and an instruction', async () => {
  const schema = { type: 'object', properties: { city: { type: 'string' } } }
  const response_format = { type: 'json_schema', json_schema: { name: 'place', schema } }
  const { body } = await sent(deepSeekProfile, { response_format })
  expect(body.response_format).toEqual({ type: 'json_object' })
  expect(body.messages).toEqual([
    { role: 'system', content: `Answer with JSON of this schema: ${JSON.stringify(schema)}` },
    { role: 'user', content: 'hello' },
  ])
})

test('DeepSeek gets one text, and a null content with tool calls', async () => {
  const { body } = await sent(deepSeekProfile, { messages: called })
  expect(body.messages).toMatchObject([{ content: 'What time?' }, { content: null }, {}, {}])
})

test('Mistral gets ids of nine letters and digits, the same for call and result', async () => {
  const { body } = await sent(mistralProfile, { messages: called })
  const id = expect.stringMatching(/^[a-z0-9]{9}$/)
  expect(body.messages).toMatchObject([
    {},
    { tool_calls: [{ id }, { id: 'abcdefgh9' }] },
    { tool_call_id: id },
    { tool_call_id: 'abcdefgh9' },
  ])
  const text = JSON.stringify(body.messages)
  const ids = [...text.matchAll(/"(?:tool_call_)?id":"(\w+)"/g)].map(([, one]) => one)
  expect(ids[0]).toBe(ids[2])
})

const strictTool = [{ type: 'function', function: { name: 'f', strict: true } }]
const detailed = [
  {
    role: 'user',
    content: [
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'auto' } },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
    ],
  },
]

function requestWith(fields: object): ChatRequest {
  return chatRequestSchema.parse({ messages: [{ role: 'user', content: 'hi' }], ...fields })
}

test.each([
  [groqProfile, { n: 2 }, 'n'],
  [groqProfile, { n: 1 }, null],
  [groqProfile, { logprobs: true }, 'logprobs'],
  [groqProfile, { logprobs: false, logit_bias: {} }, null],
  [cerebrasProfile, { frequency_penalty: 0 }, null],
  [cerebrasProfile, { frequency_penalty: 1 }, 'frequency_penalty'],
  [deepSeekProfile, { parallel_tool_calls: true }, null],
  [deepSeekProfile, { parallel_tool_calls: false }, null],
  [deepSeekProfile, { tools: everything.tools, parallel_tool_calls: false }, 'parallel_tool_calls'],
  [anthropicLimits, { response_format: { type: 'text' } }, null],
  [anthropicLimits, { response_format: { type: 'json_object' } }, 'response_format'],
  [
    anthropicLimits,
    { response_format: { type: 'json_schema', json_schema: { name: 's' } } },
    'response_format',
  ],
  [
    anthropicLimits,
    { response_format: { type: 'json_schema', json_schema: { name: 's', schema: {} } } },
    null,
  ],
  [anthropicLimits, { reasoning_effort: 'none' }, null],
  [anthropicLimits, { reasoning_effort: 'high' }, null],
  [anthropicLimits, { reasoning_effort: 'minimal' }, 'reasoning_effort'],
  [geminiLimits, { reasoning_effort: 'xhigh' }, 'reasoning_effort'],
  [anthropicLimits, { reasoning: { max_tokens: 2048 } }, null],
  [mistralProfile, { reasoning: { max_tokens: 2048 } }, 'reasoning.max_tokens'],
  [geminiLimits, { reasoning_effort: 'high' }, null],
  [groqProfile, { reasoning_effort: 'minimal' }, 'reasoning_effort'],
  [mistralProfile, { reasoning_effort: 'high' }, null],
  [mistralProfile, { reasoning_effort: 'low' }, 'reasoning_effort'],
  [xAiProfile, { reasoning_effort: 'none' }, null],
  [xAiProfile, { reasoning_effort: 'minimal' }, 'reasoning_effort'],
  [anthropicLimits, { seed: 1 }, 'seed'],
  [togetherProfile, everything, null],
  [openAiProfile, everything, 'top_k'],
  [openAiProfile, { tools: strictTool, messages: detailed }, null],
  [anthropicLimits, { tools: strictTool }, null],
  [anthropicLimits, { stop: ['END', '\n'] }, 'stop'],
  [geminiLimits, { stop: '\n' }, null],
  [mistralProfile, { response_format: { type: 'json_object' } }, null],
  [
    deepSeekProfile,
    { response_format: { type: 'json_schema', json_schema: { name: 's', schema: {} } } },
    null,
  ],
  [groqProfile, { messages: [{ role: 'user', content: 'hi', name: 'ann' }] }, 'messages[0].name'],
  [anthropicLimits, { messages: detailed }, 'messages[0].content[1].image_url.detail'],
  [geminiLimits, { tools: strictTool }, null],
  [geminiLimits, { messages: detailed }, 'messages[0].content[1].image_url.detail'],
  [
    anthropicLimits,
    {
      messages: [
        { role: 'system', content: 'x' },
        { role: 'user', content: 'hi', name: 'ann' },
      ],
    },
    'messages[1].name',
  ],
  [
    geminiLimits,
    {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'see' },
            { type: 'image_url', image_url: { url: 'https://a.example/b.png' } },
          ],
        },
      ],
    },
    'messages[0].content[1].image_url.url',
  ],
])('an unsupported field is named: %#', (limits, fields, path) => {
  expect(unsupportedField(limits, requestWith(fields))).toBe(path)
})
