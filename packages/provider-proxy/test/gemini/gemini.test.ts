import { expect, test } from 'vitest'
import { type ChatCall, collectCompletion, createGeminiProvider } from '../../src/index.ts'
import { chatCall } from '../support/call.ts'
import { closingAfterEach } from '../support/closing.ts'
import { event, openEvents, startProviderServer } from '../support/provider-server.ts'
import { type ScriptedProvider, scriptedProviders } from '../support/scripted-provider.ts'

const open = closingAfterEach()
const setUp = scriptedProviders(
  (url) => createGeminiProvider({ apiKey: 'key-1', baseUrl: `${url}/v1beta` }),
  open,
)

function response(
  parts: readonly object[],
  more: { readonly finishReason?: string; readonly usageMetadata?: object } = {},
): string {
  const { finishReason, usageMetadata } = more
  return event({
    candidates: [
      { content: { parts, role: 'model' }, ...(finishReason && { finishReason }), index: 0 },
    ],
    ...(usageMetadata && { usageMetadata }),
    modelVersion: 'gemini',
    responseId: 'r',
  })
}

const usageMetadata = {
  promptTokenCount: 20,
  cachedContentTokenCount: 8,
  candidatesTokenCount: 5,
  thoughtsTokenCount: 30,
  toolUsePromptTokenCount: 2,
  totalTokenCount: 57,
}

async function complete({ provider }: ScriptedProvider, call: ChatCall = chatCall('hi')) {
  const outcome = await collectCompletion(await provider.open(call))
  return { outcome, choice: outcome.completion(null).choices[0] }
}

test('text, thoughts and usage, ended without an end mark', async () => {
  const text =
    response([{ text: 'Let me see.', thought: true }], {
      usageMetadata: { promptTokenCount: 20 },
    }) +
    response([{ text: 'Hel' }]) +
    response([{ text: 'lo', thoughtSignature: 'x' }], { finishReason: 'STOP', usageMetadata })
  const { outcome, choice } = await complete(await setUp(text))
  expect(choice).toEqual({
    index: 0,
    message: {
      role: 'assistant',
      content: 'Hello',
      reasoning: 'Let me see.',
      reasoning_details: [
        { type: 'reasoning.encrypted', format: 'google-gemini-v1', index: 0, data: 'x' },
      ],
      refusal: null,
    },
    logprobs: null,
    finish_reason: 'stop',
  })
  expect(outcome.usage).toMatchObject({
    inputTokens: 22,
    outputTokens: 35,
    cacheReadTokens: 8,
    reasoningTokens: 30,
  })
})

test('function calls come complete and end as tool_calls', async () => {
  const calls = [{ functionCall: { name: 'f', args: { a: 1 } } }, { functionCall: { name: 'g' } }]
  const { choice } = await complete(await setUp(response(calls, { finishReason: 'STOP' })))
  expect(choice).toMatchObject({
    message: {
      content: null,
      tool_calls: [
        {
          id: expect.stringMatching(/^call_\w+_0$/),
          type: 'function',
          function: { name: 'f', arguments: '{"a":1}' },
        },
        {
          id: expect.stringMatching(/^call_\w+_1$/),
          type: 'function',
          function: { name: 'g', arguments: '{}' },
        },
      ],
    },
    finish_reason: 'tool_calls',
  })
})

test('generated ids are unique across responses; those of Google are kept', async () => {
  const calls = [{ functionCall: { name: 'f' } }, { functionCall: { name: 'g', id: 'google-1' } }]
  const connected = await setUp(response(calls, { finishReason: 'STOP' }))
  const ids: string[] = []
  for (let round = 0; round < 2; round += 1) {
    const { choice } = await complete(connected)
    ids.push(...(choice?.message.tool_calls ?? []).map(({ id }) => id))
  }
  expect([ids[1], ids[3]]).toEqual(['google-1', 'google-1'])
  expect(ids[0]).not.toBe(ids[2])
})

test('an unexpected tool call is delivered, since Google bills it', async () => {
  const calls = [{ functionCall: { name: 'f', args: {} } }]
  const { choice, outcome } = await complete(
    await setUp(response(calls, { finishReason: 'UNEXPECTED_TOOL_CALL', usageMetadata })),
  )
  expect(choice).toMatchObject({
    message: { tool_calls: [{ function: { name: 'f' } }] },
    finish_reason: 'tool_calls',
  })
  expect(outcome.usage?.outputTokens).toBe(35)
})

test.each([
  ['STOP', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['SAFETY', 'content_filter'],
  ['RECITATION', 'content_filter'],
  ['BLOCKLIST', 'content_filter'],
  ['PROHIBITED_CONTENT', 'content_filter'],
  ['SPII', 'content_filter'],
  ['MODEL_ARMOR', 'content_filter'],
  ['UNEXPECTED_TOOL_CALL', 'stop'],
  ['TOO_MANY_TOOL_CALLS', 'stop'],
  ['LANGUAGE', 'stop'],
  ['OTHER', 'stop'],
])('the finish reason %s after text is %s', async (finishReason, expected) => {
  const { choice } = await complete(await setUp(response([{ text: 'a' }], { finishReason })))
  expect(choice?.finish_reason).toBe(expected)
})

test('an answer that ends before its first word has a role, which clients need', async () => {
  const text = event({
    candidates: [{ content: { role: 'model' }, finishReason: 'MAX_TOKENS', index: 0 }],
    usageMetadata: { promptTokenCount: 20, thoughtsTokenCount: 30, totalTokenCount: 50 },
  })
  const { provider } = await setUp(text)
  const deltas: unknown[] = []
  for await (const read of (await provider.open(chatCall('hi'))).events) {
    if (read.type === 'chunk') deltas.push(read.chunk.choices[0]?.delta)
  }
  expect(deltas).toEqual([{ role: 'assistant' }])
})

test('a blocked prompt is a completion without content', async () => {
  const text = event({
    promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
    usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 },
  })
  const { outcome, choice } = await complete(await setUp(text))
  expect(choice).toMatchObject({ message: { content: '' }, finish_reason: 'content_filter' })
  expect(outcome.usage).toMatchObject({ inputTokens: 9, outputTokens: 0 })
})

test('no finish reason is an incomplete response', async () => {
  const { provider } = await setUp(response([{ text: 'a' }]))
  const stream = await provider.open(chatCall('hi'))
  await expect(collectCompletion(stream)).rejects.toMatchObject({ code: 'upstream_truncated' })
})

test('an error in the middle has the code of its status', async () => {
  const error = event({ error: { code: 503, message: 'x', status: 'UNAVAILABLE' } })
  const { provider } = await setUp(response([{ text: 'a' }]) + error)
  const stream = await provider.open(chatCall('hi'))
  await expect(collectCompletion(stream)).rejects.toMatchObject({
    code: 'upstream_unavailable',
    status: 503,
  })
})

const conversation = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Weather?' },
  {
    role: 'assistant',
    content: 'Looking.',
    tool_calls: [
      { id: 'a', type: 'function', function: { name: 'weather', arguments: '{"at":"Paris"}' } },
    ],
  },
  { role: 'tool', tool_call_id: 'a', content: 'Sun' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'And this?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    ],
  },
]

test('the request is shaped for the native API', async () => {
  const set = await setUp(response([{ text: 'a' }], { finishReason: 'STOP' }))
  const schema = { type: 'object', properties: { a: { type: 'string' } } }
  const request = {
    messages: conversation,
    top_p: 0.5,
    seed: 3,
    stop: ['END'],
    response_format: { type: 'json_schema', json_schema: { name: 's', schema } },
    tools: [{ type: 'function', function: { name: 'weather', parameters: schema } }],
    tool_choice: { type: 'function', function: { name: 'weather' } },
    user: 'client-user',
  }
  await complete(set, chatCall('', { request, temperature: 0.3, upstreamModel: 'gemini/../x?y' }))
  const [received] = set.server.received
  expect(received?.path).toBe('/v1beta/models/gemini%2F..%2Fx%3Fy:streamGenerateContent?alt=sse')
  expect(received?.headers['x-goog-api-key']).toBe('key-1')
  expect(received?.body).toEqual({
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: [
      { role: 'user', parts: [{ text: 'Weather?' }] },
      {
        role: 'model',
        parts: [
          { text: 'Looking.' },
          { functionCall: { id: 'a', name: 'weather', args: { at: 'Paris' } } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'a', name: 'weather', response: { result: 'Sun' } } },
          { text: 'And this?' },
          { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
        ],
      },
    ],
    generationConfig: {
      maxOutputTokens: 64,
      temperature: 0.3,
      topP: 0.5,
      seed: 3,
      stopSequences: ['END'],
      responseMimeType: 'application/json',
      responseJsonSchema: schema,
    },
    tools: [{ functionDeclarations: [{ name: 'weather', parametersJsonSchema: schema }] }],
    toolConfig: {
      functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['weather'] },
    },
  })
})

test.each([
  [undefined, { mode: 'VALIDATED' }],
  ['auto', { mode: 'VALIDATED' }],
  ['none', { mode: 'NONE' }],
  ['required', { mode: 'ANY' }],
])(
  'with a strict tool and tool_choice %s, calls follow their schemas',
  async (tool_choice, mode) => {
    const set = await setUp(response([{ text: 'a' }], { finishReason: 'STOP' }))
    const tools = ['a', 'b'].map((name) => ({
      type: 'function',
      function: { name, parameters: { type: 'object' }, strict: name === 'b' },
    }))
    const messages = [{ role: 'user', content: 'Hello' }]
    await complete(set, chatCall('', { request: { messages, tools, tool_choice } }))
    expect(set.server.received[0]?.body['toolConfig']).toEqual({ functionCallingConfig: mode })
  },
)

test.each([
  ['gemini-3-flash-preview', undefined, true, 1],
  ['gemini-2.5-flash', undefined, true, 2],
  ['gemini-3-flash-preview', 'omitted' as const, false, 1],
])(
  '%s, ids of calls %s: an image is in the result of a function or next to it',
  async (upstreamModel, callIds, hasIds, count) => {
    const server = await startProviderServer((response) => {
      openEvents(response)
      response.end(event({ error: { message: 'enough' } }))
    })
    const provider = createGeminiProvider({
      apiKey: 'k',
      baseUrl: server.url,
      ...(callIds && { callIds }),
    })
    const messages = [
      { role: 'user', content: 'Look' },
      {
        role: 'assistant',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      {
        role: 'tool',
        tool_call_id: 'a',
        content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
      },
    ]
    const call = chatCall('hi', { upstreamModel, request: { messages } })
    await expect(provider.open(call)).rejects.toThrow()
    await provider.close()
    await server.stop()
    const body = JSON.stringify(server.received[0]?.body)
    expect(body.includes('"id":"a"')).toBe(hasIds)
    const { contents } = JSON.parse(body)
    const image = { inlineData: { mimeType: 'image/png', data: 'AAAA' } }
    const [result, ...beside] = contents[2].parts
    expect(contents[2].parts).toHaveLength(count)
    expect(beside.length === 0 ? result.functionResponse.parts : beside).toEqual([image])
  },
)

test.each([
  ['none', 'gemini-2.5-flash', { thinkingBudget: 0 }],
  ['minimal', 'gemini-2.5-pro', { thinkingBudget: 512, includeThoughts: true }],
  ['low', 'gemini-2.5-flash', { thinkingBudget: 1024, includeThoughts: true }],
  ['minimal', 'gemini-3.5-flash', { thinkingLevel: 'minimal', includeThoughts: true }],
  ['low', 'gemini-3.5-flash', { thinkingLevel: 'low', includeThoughts: true }],
])('the effort %s of %s is %j', async (reasoning_effort, upstreamModel, thinkingConfig) => {
  const set = await setUp(response([{ text: 'a' }], { finishReason: 'STOP' }))
  await complete(set, chatCall('hi', { request: { reasoning_effort }, upstreamModel }))
  expect(set.server.received[0]?.body['generationConfig']).toMatchObject({ thinkingConfig })
})

test.each([
  [700, 'gemini-2.5-flash', 700],
  [1, 'gemini-2.5-flash', 1],
  [31_999, 'gemini-2.5-flash', 24_576],
  [100, 'gemini-2.5-flash-lite', 512],
  [31_999, 'gemini-2.5-flash-lite-preview-09-2025', 24_576],
  [100, 'gemini-2.5-pro', 128],
  [31_999, 'gemini-2.5-pro', 31_999],
  [40_000, 'gemini-2.5-pro', 32_768],
])('of a budget of %d, %s is sent %d', async (max_tokens, upstreamModel, thinkingBudget) => {
  const set = await setUp(response([{ text: 'a' }], { finishReason: 'STOP' }))
  const request = { reasoning_effort: 'low', reasoning: { max_tokens } }
  await complete(set, chatCall('hi', { request, upstreamModel }))
  expect(set.server.received[0]?.body['generationConfig']).toMatchObject({
    thinkingConfig: { thinkingBudget },
  })
})

test.each([
  [2 ** 31 - 1, 2 ** 31 - 1],
  [2 ** 32 - 1, -1],
  [Number.MAX_SAFE_INTEGER, -1],
])('the seed %d is sent as the 32 bits %d', async (seed, sent) => {
  const set = await setUp(response([{ text: 'a' }], { finishReason: 'STOP' }))
  await complete(set, chatCall('hi', { request: { seed } }))
  expect(set.server.received[0]?.body['generationConfig']).toMatchObject({ seed: sent })
})

test('for Gemma, the system text goes into the first user turn', async () => {
  const set = await setUp(response([{ text: 'a' }], { finishReason: 'STOP' }))
  const request = { messages: conversation.slice(0, 2) }
  await complete(set, chatCall('', { request, upstreamModel: 'gemma-3-27b-it' }))
  expect(set.server.received[0]?.body).toEqual({
    contents: [{ role: 'user', parts: [{ text: 'Be brief.' }, { text: 'Weather?' }] }],
    generationConfig: { maxOutputTokens: 64 },
  })
})

test.each([
  [
    400,
    { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT' },
    'upstream_unavailable',
  ],
  [400, { code: 400, message: 'Bad schema.', status: 'INVALID_ARGUMENT' }, 'upstream_rejected'],
  [500, { code: 500, message: 'x', status: 'INTERNAL' }, 'upstream_unavailable'],
])('HTTP %d %j is %s', async (status, error, code) => {
  const server = await startProviderServer((response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error }))
  })
  const provider = createGeminiProvider({ apiKey: 'k', baseUrl: server.url })
  open.push({ stop: () => provider.close() }, server)
  await expect(provider.open(chatCall('hi'))).rejects.toMatchObject({ code, status })
})

test('it keeps billing after a disconnect, so its streams ask to be drained', async () => {
  const { provider } = await setUp(response([{ text: 'a' }], { finishReason: 'STOP' }))
  expect((await provider.open(chatCall('hi'))).onClientGone).toBe('drain')
})

test.each([
  ['an error', event({ error: { code: 503, message: 'busy', status: 'UNAVAILABLE' } })],
  ['an event that is not JSON', 'data: {\n\n'],
])('%s after the finish reason takes nothing from the response', async (_, last) => {
  const ended = response([{ text: 'Hello' }], { finishReason: 'STOP', usageMetadata })
  const { outcome, choice } = await complete(await setUp(ended + last))
  expect(choice).toMatchObject({ finish_reason: 'stop', message: { content: 'Hello' } })
  expect(outcome.usage).toMatchObject({ outputTokens: 35 })
})

test('an error after the finish reason of a malformed call is that failure', async () => {
  const malformed = response([], { finishReason: 'MALFORMED_FUNCTION_CALL' })
  const { provider } = await setUp(malformed + event({ error: { code: 503, message: 'busy' } }))
  await expect(provider.open(chatCall('hi')).then(collectCompletion)).rejects.toMatchObject({
    status: 503,
  })
})
