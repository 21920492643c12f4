import { chatChunkSchema } from '@farebox/api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type ChatEvent,
  type ChatStream,
  chatUsageJson,
  collectCompletion,
  createOpenAiCompatibleProvider,
  groqProfile,
  relayEventStream,
  type StreamSink,
  sandboxProfile,
} from '../../src/index.ts'
import { chatCall } from '../support/call.ts'
import { chunksOf, memorySink } from '../support/memory-sink.ts'
import { chunk, event, openEvents, startProviderServer } from '../support/provider-server.ts'
import { startRelayServer } from '../support/relay-server.ts'
import { type SandboxProvider, startSandboxProvider } from '../support/sandbox-provider.ts'

let sandbox: SandboxProvider['sandbox']
let provider: SandboxProvider['provider']
let stop: SandboxProvider['stop']

beforeAll(async () => {
  ;({ sandbox, provider, stop } = await startSandboxProvider({
    firstTokenMs: 5,
    tokensPerSecond: 2000,
  }))
})

afterAll(() => stop())

test('each chunk has our own shape, and the last one carries finish reason, usage and fingerprint', async () => {
  const sink = memorySink()
  const outcome = await relayEventStream(await provider.open(chatCall('hello')), sink)
  const chunks = chunksOf(sink.texts)
  for (const one of chunks) expect(chatChunkSchema.parse(one)).toEqual(one)
  expect(chunks.every((one) => one.model === 'maker/model' && one.usage === undefined)).toBe(true)
  expect(chunks.every((one) => one.choices[0]?.finish_reason === null)).toBe(true)
  expect(new Set(chunks.map((one) => one.id)).size).toBe(1)
  if (outcome.status !== 'complete' || outcome.usage === null) throw new Error(outcome.status)
  const text = outcome.finalChunk(chatUsageJson(outcome.usage, outcome.timings))
  const [last] = chunksOf([text])
  expect(chatChunkSchema.parse(last)).toEqual(last)
  expect(last?.choices).toEqual([{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }])
  for (const chunk of chunks) {
    expect(chunk.system_fingerprint).toBe('fp_sandbox')
    for (const choice of chunk.choices) expect(choice).toHaveProperty('logprobs')
  }
  expect(last?.system_fingerprint).toBe('fp_sandbox')
  expect(last?.usage?.completion_tokens).toBe(outcome.usage.outputTokens)
  expect(last?.id).toBe(chunks[0]?.id)
  expect(outcome.delivered.choices[0]?.content).toContain('sandbox')
})

test('the last chunk is held back: the relay writes nothing that looks complete', async () => {
  const sink = memorySink()
  await relayEventStream(await provider.open(chatCall('hello')), sink)
  expect(sink.texts.join('')).not.toMatch(/\[DONE\]|"finish_reason":"|"usage"/)
})

test('the finish reasons of all choices come in one chunk', async () => {
  const sink = memorySink()
  const call = chatCall('[[sandbox: tokens=9]] hello', { request: { n: 3 } })
  const outcome = await relayEventStream(await provider.open(call), sink)
  if (outcome.status !== 'complete') throw new Error(outcome.status)
  const [last] = chunksOf([outcome.finalChunk(null)])
  expect(last?.choices.map((one) => [one.index, one.finish_reason])).toEqual([
    [0, 'stop'],
    [1, 'stop'],
    [2, 'stop'],
  ])
  expect(last?.usage).toBeUndefined()
  expect(outcome.delivered.choices).toHaveLength(3)
})

test('a chunk leaves while the upstream is still writing', async () => {
  let finish = (): void => undefined
  const server = await startProviderServer((response) => {
    openEvents(response)
    response.write(chunk({ content: 'first' }))
    finish = () => response.end(`${chunk({}, { finish: 'stop' })}data: [DONE]\n\n`)
  })
  const upstream = createOpenAiCompatibleProvider({ profile: sandboxProfile, baseUrl: server.url })
  const relay = await startRelayServer(upstream, (signal) => chatCall('hello', { signal }))
  const response = await fetch(relay.url)
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  const { value } = (await reader?.read()) ?? {}
  expect(value).toContain('"content":"first"')
  expect(relay.outcomes).toHaveLength(0)
  finish()
  let rest = ''
  for (;;) {
    const next = await reader?.read()
    if (next === undefined || next.done) break
    rest += next.value
  }
  expect(rest).toMatch(
    /"finish_reason":"stop".*\n\n: receipt \{"id":"pay_1"\}\n\ndata: \[DONE\]\n\n$/s,
  )
  await relay.stop()
  await upstream.close()
  await server.stop()
})

test('text that looks like framing cannot end the stream', async () => {
  const sink = memorySink()
  const attack = 'a\n\ndata: [DONE]\n\nevent: x\rdata: y'
  await relayEventStream(await provider.open(chatCall(`[[sandbox: echo]] ${attack}`)), sink)
  expect(
    sink.texts
      .join('')
      .split('\n\n')
      .filter((one) => one === 'data: [DONE]'),
  ).toEqual([])
  const texts = chunksOf(sink.texts).map((one) => one.choices[0]?.delta.content ?? '')
  expect(texts.join('')).toBe(attack)
})

test('silence is filled with comments, between events only', async () => {
  let finish = (): void => undefined
  const server = await startProviderServer((response) => {
    openEvents(response)
    response.write(chunk({ content: 'first' }))
    finish = () => response.end(chunk({ content: 'second' }, { finish: 'stop' }))
  })
  const upstream = createOpenAiCompatibleProvider({ profile: sandboxProfile, baseUrl: server.url })
  const sink = memorySink()
  const stream = await upstream.open(chatCall('hello'))
  const relaying = relayEventStream(stream, sink, { heartbeat: 20 })
  await expect.poll(() => sink.texts.length).toBeGreaterThan(2)
  finish()
  await relaying
  const kinds = sink.texts.map((text) => text.slice(0, 6))
  expect(kinds[0]).toBe('data: ')
  expect(kinds.at(-1)).toBe('data: ')
  expect(kinds.slice(1, -1).every((kind) => kind === ': keep')).toBe(true)
  expect(kinds.length).toBeGreaterThan(2)
  expect(sink.texts.every((text) => text.endsWith('\n\n'))).toBe(true)
  await upstream.close()
  await server.stop()
})

test('a client that disconnects stops the upstream and pays for what was sent', async () => {
  const slow = '[[sandbox: tokens=400 tokens_per_second=50 label=closes]] hello'
  const relay = await startRelayServer(provider, (signal) =>
    chatCall(slow, { signal, maxTokens: 400 }),
  )
  const leaving = new AbortController()
  const response = await fetch(relay.url, { signal: leaving.signal })
  await response.body?.getReader().read()
  const outcome = relay.nextOutcome()
  leaving.abort()
  expect(await outcome).toMatchObject({ status: 'client_gone', reason: 'closed', usage: null })
  const logged = () => sandbox.requests.find(({ label }) => label === 'closes')
  await expect.poll(() => logged()?.outcome).toBe('aborted')
  expect(logged()?.tokens).toBeLessThan(400)
  await relay.stop()
})

test('a client that disconnects before the first event stops the upstream too', async () => {
  const leaving = new AbortController()
  const slow = '[[sandbox: slow_first_byte=60000 label=early]] hello'
  const opening = provider.open(chatCall(slow, { signal: leaving.signal }))
  await expect.poll(() => sandbox.requests.some(({ label }) => label === 'early')).toBe(true)
  leaving.abort()
  await expect(opening).rejects.toMatchObject({ code: 'aborted' })
  const logged = () => sandbox.requests.find(({ label }) => label === 'early')
  await expect.poll(() => logged()?.outcome).toBe('aborted')
})

test('a call whose client has disconnected never reaches the provider', async () => {
  const call = chatCall('[[sandbox: label=never]] hello', { signal: AbortSignal.abort() })
  await expect(provider.open(call)).rejects.toMatchObject({ code: 'aborted' })
  expect(sandbox.requests.some(({ label }) => label === 'never')).toBe(false)
})

test('where the provider keeps billing, its usage is awaited after a disconnect', async () => {
  const drained = createOpenAiCompatibleProvider({
    profile: { ...groqProfile, name: 'drained' },
    baseUrl: sandbox.chatBaseUrl,
  })
  const sink = memorySink()
  const call = chatCall('[[sandbox: tokens=50 tokens_per_second=500]] hello', {
    signal: sink.closed,
  })
  const stream = await drained.open(call)
  sink.close()
  const outcome = await relayEventStream(stream, sink)
  expect(outcome).toMatchObject({ status: 'client_gone', usage: { outputTokens: 50 } })
  expect(sink.texts).toEqual([])
  await drained.close()
})

test('a response that has used up its budget is stopped and ends with the reason length', async () => {
  const sink = memorySink()
  const call = chatCall('[[sandbox: tokens=10000 tokens_per_second=500 label=budget]] hello', {
    maxTokens: 10_000,
  })
  const outcome = await relayEventStream(await provider.open(call), sink, {
    overBudget: ({ chunks }) => chunks >= 10,
  })
  if (outcome.status !== 'complete') throw new Error(outcome.status)
  expect(outcome.stoppedBy).toBe('budget')
  expect(chunksOf([outcome.finalChunk(null)])[0]?.choices[0]?.finish_reason).toBe('length')
  expect(outcome.delivered.chunks).toBe(10)
  const logged = () => sandbox.requests.find(({ label }) => label === 'budget')
  await expect.poll(() => logged()?.outcome).toBe('aborted')
})

test('a client that reads nothing for too long is cut off, and the upstream is paused', async () => {
  let written = 0
  const filler = 'x'.repeat(4096)
  const server = await startProviderServer((response) => {
    openEvents(response)
    const pour = (): void => {
      for (;;) {
        if (response.destroyed) return
        written += 1
        if (!response.write(chunk({ content: filler }))) return
      }
    }
    response.on('drain', pour)
    pour()
  })
  const upstream = createOpenAiCompatibleProvider({ profile: sandboxProfile, baseUrl: server.url })
  const blocked: StreamSink = {
    write: () => false,
    drained: () => new Promise(() => undefined),
    closed: new AbortController().signal,
  }
  const outcome = await relayEventStream(await upstream.open(chatCall('hello')), blocked, {
    idleWrite: 150,
  })
  expect(outcome).toMatchObject({ status: 'client_gone', reason: 'slow' })
  // What two sockets and one queue hold, far from all that the upstream would write.
  expect(written * filler.length).toBeLessThan(16 * 1024 * 1024)
  await expect.poll(() => server.sockets.size).toBe(0)
  await upstream.close()
  await server.stop()
})

test('a client that stops reading is cut off even when the upstream sends nothing more', async () => {
  const blocked: StreamSink = {
    write: () => false,
    drained: () => new Promise(() => undefined),
    closed: new AbortController().signal,
  }
  const call = chatCall('[[sandbox: stall_after=3 label=silent]] hello')
  const outcome = await relayEventStream(await provider.open(call), blocked, { idleWrite: 50 })
  expect(outcome).toMatchObject({ status: 'client_gone', reason: 'slow' })
  const logged = () => sandbox.requests.find(({ label }) => label === 'silent')
  await expect.poll(() => logged()?.outcome).toBe('aborted')
})

test.each([
  ['at once', async () => undefined],
  ['in turns', async () => await new Promise((resolve) => setImmediate(resolve))],
])('a sink that throws makes the relay reject, not the process: events %s', async (_, pause) => {
  const frame = { id: 'c', created: 1, model: 'm' }
  const delta = { role: 'assistant' as const, content: 'hello' }
  async function* events(): AsyncGenerator<ChatEvent> {
    yield {
      type: 'chunk',
      chunk: {
        ...frame,
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta, finish_reason: null }],
      },
    }
    await pause()
    yield { type: 'finished', finishReasons: [], usage: null, timings: {} }
  }
  const broken: StreamSink = {
    write: () => {
      throw new Error('no such response')
    },
    drained: async () => undefined,
    closed: new AbortController().signal,
  }
  const stream: ChatStream = { ...frame, provider: 'none', events: events() }
  await expect(relayEventStream(stream, broken)).rejects.toThrow('no such response')
})

test('a slow reader over a real connection gets every byte', async () => {
  const count = 3000
  const server = await startProviderServer(async (response) => {
    openEvents(response)
    for (let at = 0; at < count; at += 1) {
      if (!response.write(chunk({ content: `${at};`.padStart(1000) }))) {
        await new Promise((resolve) => response.once('drain', resolve))
      }
    }
    response.end(`${chunk({}, { finish: 'stop' })}data: [DONE]\n\n`)
  })
  const upstream = createOpenAiCompatibleProvider({ profile: sandboxProfile, baseUrl: server.url })
  const relay = await startRelayServer(upstream, (signal) => chatCall('hello', { signal }))
  const response = await fetch(relay.url)
  await new Promise((resolve) => setTimeout(resolve, 300))
  const chunks = chunksOf((await response.text()).split(/(?<=\n\n)/))
  const texts = chunks.map((one) => one.choices[0]?.delta.content ?? '').filter((one) => one !== '')
  expect(texts.map((text) => Number.parseInt(text, 10))).toEqual([...Array(count).keys()])
  await relay.stop()
  await upstream.close()
  await server.stop()
})

test('reasoning, tool calls and refusals are relayed and kept for counting', async () => {
  const server = await startProviderServer((response) => {
    openEvents(response)
    response.write(chunk({ reasoning_content: 'think', reasoning: 'think' }))
    response.write(chunk({ content: 'say' }))
    response.write(chunk({ refusal: 'no' }))
    const opening = { index: 0, id: 'c1', type: 'function', function: { name: 'f', arguments: '' } }
    response.write(chunk({ tool_calls: [opening] }))
    response.write(chunk({ tool_calls: [{ index: 0, function: { arguments: '{"a":1}' } }] }))
    response.write(chunk({}, { finish: 'tool_calls' }))
    response.end(event({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } }))
  })
  const upstream = createOpenAiCompatibleProvider({ profile: sandboxProfile, baseUrl: server.url })
  const sink = memorySink()
  const outcome = await relayEventStream(await upstream.open(chatCall('hello')), sink)
  expect(outcome.delivered).toMatchObject({
    choices: [
      { index: 0, content: 'say', reasoning: 'think', refusal: 'no', toolCalls: 'f{"a":1}' },
    ],
    bytes: 18,
    chunks: 5,
    images: 0,
    bytesNotKept: 0,
  })
  expect(chunksOf(sink.texts)[0]?.choices[0]?.delta).toEqual({
    role: 'assistant',
    reasoning: 'think',
  })
  await upstream.close()
  await server.stop()
})

test('logprobs are relayed with their tokens and joined in a completion', async () => {
  const request = { logprobs: true, top_logprobs: 0 }
  const call = chatCall('[[sandbox: tokens=3]] hello', { request })
  const sink = memorySink()
  await relayEventStream(await provider.open(call), sink)
  const relayed = chunksOf(sink.texts).flatMap((one) => one.choices[0]?.logprobs ?? [])
  expect(relayed).toHaveLength(3)
  expect(relayed[0]).toMatchObject({ content: [{ token: 'This', logprob: 0 }] })
  const whole = (await collectCompletion(await provider.open(call))).completion(null)
  expect(whole.choices[0]?.logprobs).toMatchObject({
    content: [{ token: 'This' }, { token: ' is' }, { token: ' the' }],
  })
})

test('text beyond the limit is relayed but not kept', async () => {
  const sink = memorySink()
  const call = chatCall('[[sandbox: tokens=100]] hello', { maxTokens: 100 })
  const outcome = await relayEventStream(await provider.open(call), sink, { maxKeptBytes: 50 })
  const { choices, bytes, bytesNotKept } = outcome.delivered
  expect(Buffer.byteLength(choices[0]?.content ?? '')).toBe(bytes - bytesNotKept)
  expect(bytes - bytesNotKept).toBeLessThanOrEqual(50)
  expect(bytesNotKept).toBeGreaterThan(0)
})

test('no client of the relay gets a header or an id of the provider', async () => {
  const server = await startProviderServer((response) => {
    response.setHeader('x-secret-account', 'acct_1')
    openEvents(response)
    response.write(chunk({ content: 'a' }, { service_tier: 'default', provider: 'Hidden' }))
    response.end(chunk({}, { finish: 'stop' }))
  })
  const upstream = createOpenAiCompatibleProvider({ profile: sandboxProfile, baseUrl: server.url })
  const sink = memorySink()
  await relayEventStream(await upstream.open(chatCall('hello')), sink)
  expect(sink.texts.join('')).not.toMatch(/acct_1|Hidden|service_tier|"up"|upstream/)
  await upstream.close()
  await server.stop()
})
