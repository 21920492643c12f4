import { chatCompletionSchema } from '@farebox/api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  chatUsageJson,
  collectCompletion,
  createOpenAiCompatibleProvider,
  relayEventStream,
  sandboxProfile,
} from '../../src/index.ts'
import { createCompletionBody } from '../../src/relay/completion-body.ts'
import { chatCall } from '../support/call.ts'
import { memorySink } from '../support/memory-sink.ts'
import { chunk, event, openEvents, startProviderServer } from '../support/provider-server.ts'
import { type SandboxProvider, startSandboxProvider } from '../support/sandbox-provider.ts'

let sandbox: SandboxProvider['sandbox']
let provider: SandboxProvider['provider']
let stop: SandboxProvider['stop']

beforeAll(async () => {
  ;({ sandbox, provider, stop } = await startSandboxProvider({
    firstTokenMs: 1,
    tokensPerSecond: 4000,
  }))
})

afterAll(() => stop())

test('a completion has our own shape, with usage and timings', async () => {
  const call = chatCall('hello', { request: { n: 2, reasoning_effort: 'low' }, maxTokens: 200 })
  const outcome = await collectCompletion(await provider.open(call))
  const body = outcome.completion(outcome.usage && chatUsageJson(outcome.usage, outcome.timings))
  expect(chatCompletionSchema.parse(body)).toEqual(body)
  expect(body).toMatchObject({ object: 'chat.completion', model: 'maker/model' })
  expect(body.choices.map(({ index, finish_reason: reason }) => [index, reason])).toEqual([
    [0, 'stop'],
    [1, 'stop'],
  ])
  for (const { message } of body.choices) {
    expect(message.content).toMatch(/^This is the Farebox sandbox/)
    expect(message.reasoning).toMatch(/pretends to think/)
  }
  expect(body.usage?.completion_tokens_details?.reasoning_tokens).toBeGreaterThan(0)
  expect(outcome.completion(null).usage).toBeUndefined()
})

test('a completion without a fingerprint has an empty one, as chunks do', () => {
  const frame = { id: 'c', created: 1, model: 'maker/model', provider: 'sandbox' }
  const completion = createCompletionBody(frame).finished([{ index: 0, reason: 'stop' }])
  expect(completion(null).system_fingerprint).toBe('')
})

test('excluded reasoning is not in the answer, and is billed', async () => {
  const reasoning = { exclude: true }
  const call = chatCall('hello', {
    request: { reasoning_effort: 'low', reasoning },
    maxTokens: 200,
  })
  const outcome = await collectCompletion(await provider.open(call))
  const [choice] = outcome.completion(null).choices
  expect(choice?.message.content).toMatch(/^This is the Farebox sandbox/)
  expect(choice?.message).not.toHaveProperty('reasoning')
  expect(choice?.message).not.toHaveProperty('reasoning_details')
  expect(outcome.usage?.reasoningTokens).toBeGreaterThan(0)
  const sink = memorySink()
  await relayEventStream(await provider.open(call), sink)
  expect(sink.texts.join('')).toContain('"content"')
  expect(sink.texts.join('')).not.toContain('reasoning')
})

test('tool calls come complete, without content', async () => {
  const parameters = {
    type: 'object',
    required: ['place'],
    properties: { place: { type: 'string' } },
  }
  const request = {
    tools: [{ type: 'function', function: { name: 'weather', parameters } }],
    tool_choice: 'required',
  }
  const outcome = await collectCompletion(await provider.open(chatCall('hello', { request })))
  const [choice] = outcome.completion(null).choices
  expect(choice).toMatchObject({
    message: {
      content: null,
      tool_calls: [
        { type: 'function', function: { name: 'weather', arguments: '{"place":"sandbox"}' } },
      ],
    },
    finish_reason: 'tool_calls',
  })
  expect(outcome.delivered.choices[0]?.toolCalls).toBe('weather{"place":"sandbox"}')
})

test('the logprobs of a refusal are joined in a completion', () => {
  const frame = { id: 'chatcmpl-1', created: 1, model: 'maker/model', provider: 'test' }
  const body = createCompletionBody(frame)
  for (const token of ['I ', 'cannot.']) {
    const choice = {
      index: 0,
      delta: { refusal: token },
      logprobs: { refusal: [{ token, logprob: 0 }] },
      finish_reason: null,
    }
    body.add({ ...frame, object: 'chat.completion.chunk', choices: [choice] })
  }
  const [choice] = body.finished([{ index: 0, reason: 'stop' }])(null).choices
  expect(choice?.logprobs).toEqual({
    refusal: [
      { token: 'I ', logprob: 0 },
      { token: 'cannot.', logprob: 0 },
    ],
  })
})

test('a response that has used up its budget is stopped and ends with the reason length', async () => {
  const call = chatCall('[[sandbox: tokens=9000 tokens_per_second=500 label=json]] hello', {
    maxTokens: 9_000,
  })
  const outcome = await collectCompletion(await provider.open(call), {
    overBudget: ({ bytes }) => bytes > 20,
  })
  expect(outcome).toMatchObject({ stoppedBy: 'budget', usage: null })
  expect(outcome.completion(null).choices[0]?.finish_reason).toBe('length')
  const logged = () => sandbox.requests.find(({ label }) => label === 'json')
  await expect.poll(() => logged()?.outcome).toBe('aborted')
})

test('a response above the size limit is an error, and its provider is stopped', async () => {
  const call = chatCall('[[sandbox: tokens=9000 tokens_per_second=500 label=long]] hello', {
    maxTokens: 9_000,
  })
  const collecting = collectCompletion(await provider.open(call), { maxBytes: 100 })
  await expect(collecting).rejects.toMatchObject({ code: 'upstream_truncated' })
  const logged = () => sandbox.requests.find(({ label }) => label === 'long')
  await expect.poll(() => logged()?.outcome).toBe('aborted')
})

test.each([
  ['log probabilities', {}, { content: [{ token: 'a', logprob: 0, bytes: [97] }] }],
  ['images', { images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,aa' } }] }],
  ['sources', { annotations: [{ type: 'url_citation', url_citation: { url: 'https://a.b' } }] }],
  [
    'encrypted reasoning',
    { reasoning_details: [{ type: 'reasoning.encrypted', format: 'plain', data: 'aa' }] },
  ],
])('a response with more %s than it has room for ends with the reason length', async (...given) => {
  const [, delta, logprobs] = given
  const server = await startProviderServer((response) => {
    openEvents(response)
    const choice = { index: 0, delta: { content: 'a', ...delta }, logprobs, finish_reason: null }
    const events = event({ choices: [choice] }).repeat(100)
    const pour = (): void => {
      while (!response.destroyed && response.write(events));
    }
    response.on('drain', pour)
    pour()
  })
  const upstream = createOpenAiCompatibleProvider({ profile: sandboxProfile, baseUrl: server.url })
  const outcome = await collectCompletion(await upstream.open(chatCall('hello')), {
    maxBytes: 10_000,
  })
  expect(outcome.stoppedBy).toBe('budget')
  expect(outcome.completion(null).choices[0]?.finish_reason).toBe('length')
})

test('pictures without a text are in the answer when there is no room for more', async () => {
  const server = await startProviderServer((response) => {
    openEvents(response)
    const image_url = { url: `data:image/png;base64,${'A'.repeat(4_000)}` }
    const delta = { images: [{ type: 'image_url', image_url }] }
    response.write(event({ choices: [{ index: 0, delta, finish_reason: null }] }).repeat(3))
  })
  const upstream = createOpenAiCompatibleProvider({ profile: sandboxProfile, baseUrl: server.url })
  const outcome = await collectCompletion(await upstream.open(chatCall('hello')), {
    maxBytes: 20_000,
  })
  const [choice] = outcome.completion(null).choices
  expect(choice).toMatchObject({ message: { content: '' }, finish_reason: 'length' })
  expect(choice?.message.images).toHaveLength(3)
})

test('a chunk may have more sources and images than a call takes arguments', () => {
  const frame = { id: 'c', created: 1, model: 'maker/model', provider: 'sandbox' }
  const body = createCompletionBody(frame)
  const count = 200_000
  const url_citation = { url: 'https://a.b', title: '', start_index: 0, end_index: 0 }
  const annotations = Array.from({ length: count }, () => ({
    type: 'url_citation' as const,
    url_citation,
  }))
  const images = Array.from({ length: count }, () => ({
    type: 'image_url' as const,
    image_url: { url: 'https://a.b' },
  }))
  const choices = [{ index: 0, delta: { annotations, images }, finish_reason: null }]
  body.add({ ...frame, object: 'chat.completion.chunk', choices })
  const [choice] = body.finished([{ index: 0, reason: 'stop' }])(null).choices
  expect(choice?.message.annotations).toHaveLength(count)
  expect(choice?.message.images).toHaveLength(count)
})

test('a client that disconnects meanwhile stops the provider', async () => {
  const leaving = new AbortController()
  const call = chatCall('[[sandbox: tokens=300 tokens_per_second=50 label=gone]] hello', {
    maxTokens: 9_000,
    signal: leaving.signal,
  })
  const collecting = collectCompletion(await provider.open(call))
  leaving.abort()
  await expect(collecting).rejects.toMatchObject({ code: 'aborted' })
  const logged = () => sandbox.requests.find(({ label }) => label === 'gone')
  await expect.poll(() => logged()?.outcome).toBe('aborted')
})

test('pieces of a reasoning step become one step of a completion', async () => {
  const server = await startProviderServer((response) => {
    openEvents(response)
    const piece = (text: string, index: number): string =>
      chunk({
        reasoning: text,
        reasoning_details: [
          { type: 'reasoning.text', format: 'plain', index, text, host: 'secret' },
        ],
      })
    response.write(piece('Let me ', 0) + piece('see.', 0) + piece('Yes.', 1))
    response.end(chunk({ content: 'ok' }, { finish: 'stop' }))
  })
  const upstream = createOpenAiCompatibleProvider({ profile: sandboxProfile, baseUrl: server.url })
  const outcome = await collectCompletion(await upstream.open(chatCall('hello')))
  expect(outcome.completion(null).choices[0]?.message).toEqual({
    role: 'assistant',
    refusal: null,
    content: 'ok',
    reasoning: 'Let me see.Yes.',
    reasoning_details: [
      { type: 'reasoning.text', format: 'plain', index: 0, text: 'Let me see.' },
      { type: 'reasoning.text', format: 'plain', index: 1, text: 'Yes.' },
    ],
  })
  expect(outcome.delivered.choices[0]?.reasoning).toBe('Let me see.Yes.')
  await upstream.close()
  await server.stop()
})
