import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { streamText } from 'ai'
import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  collectCompletion,
  createOpenAiCompatibleProvider,
  relayEventStream,
  sandboxProfile,
  withBreaker,
} from '../../src/index.ts'
import { chatCall } from '../support/call.ts'
import { memorySink } from '../support/memory-sink.ts'
import { chunk, openEvents, startProviderServer } from '../support/provider-server.ts'
import { startRelayServer } from '../support/relay-server.ts'
import { type SandboxProvider, startSandboxProvider } from '../support/sandbox-provider.ts'

let patient: SandboxProvider
let impatient: SandboxProvider

beforeAll(async () => {
  const pace = { firstTokenMs: 1, tokensPerSecond: 4000 }
  patient = await startSandboxProvider(pace, { timeouts: { tail: 500 } })
  impatient = await startSandboxProvider(pace, { timeouts: { idle: 300 } })
})

afterAll(async () => {
  await patient.stop()
  await impatient.stop()
})

/** A busy machine pauses as well, so only a provider that never continues has a short time. */
const providerOf = (how: string) => (how.startsWith('stall') ? impatient : patient).provider

/** Endings of the upstream after its first tokens, and whether the response was complete. */
const complete = ['', 'no_done', 'no_usage', 'finish=length', 'finish=content_filter', 'finish=end']
const broken = [
  'cut_after=5',
  'cut_inside_event=5',
  'end_after=5',
  'stall_after=5',
  'garbage_after=5',
  'error_event_after=5',
  'finish=error',
  'finish=network_error',
  'finish=something_new no_done',
]

function callWith(instructions: string) {
  const content = `[[sandbox: tokens=20 ${instructions}]] hello`
  return (signal: AbortSignal) => chatCall(content, { signal })
}

type Judgment = { readonly text: string; readonly failed: boolean }

/** The official client of OpenAI. */
async function judgeOpenAi(baseURL: string): Promise<Judgment> {
  const client = new OpenAI({ apiKey: 'none', baseURL, maxRetries: 0 })
  let text = ''
  try {
    const messages = [{ role: 'user' as const, content: 'hello' }]
    const stream = await client.chat.completions.create({ model: 'm', messages, stream: true })
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
    return { text, failed: false }
  } catch {
    return { text, failed: true }
  }
}

/** The AI SDK. */
async function judgeAiSdk(baseURL: string): Promise<Judgment> {
  const model = createOpenAICompatible({ name: 'farebox', baseURL })('m')
  let text = ''
  let failed = false
  const result = streamText({
    model,
    prompt: 'hello',
    maxRetries: 0,
    onError: () => {
      failed = true
    },
  })
  for await (const part of result.stream) {
    if (part.type === 'text-delta') text += part.text
    if (part.type === 'error') failed = true
  }
  return { text, failed }
}

const judges = [
  ['openai', judgeOpenAi],
  ['ai', judgeAiSdk],
] as const

test.each(judges.flatMap(([name, judge]) => complete.map((how) => [name, how, judge] as const)))(
  '%s takes a response with "%s" for complete',
  async (_, how, judge) => {
    const relay = await startRelayServer(providerOf(how), callWith(how))
    const { text, failed } = await judge(relay.url)
    expect(failed).toBe(false)
    expect(text.match(/\S+/g)).toHaveLength(20)
    await relay.stop()
  },
)

test.each(judges.flatMap(([name, judge]) => broken.map((how) => [name, how, judge] as const)))(
  '%s reports a response with "%s" as an error',
  async (_, how, judge) => {
    const relay = await startRelayServer(providerOf(how), callWith(how))
    const { text, failed } = await judge(relay.url)
    expect(failed).toBe(true)
    expect(text.length).toBeGreaterThan(0)
    await relay.stop()
  },
)

test.each(broken)('a response with "%s" never ends like a complete one', async (how) => {
  const relay = await startRelayServer(providerOf(how), callWith(how))
  const text = await (await fetch(relay.url)).text()
  expect(text).not.toContain('[DONE]')
  expect(text).not.toMatch(/"finish_reason":"/)
  expect(text).toMatch(
    /data: \{"error":\{"message":"sandbox [^"]+","type":"api_error","code":"upstream_[a-z]+"\}\}\n\n$/,
  )
  const [outcome] = relay.outcomes
  expect(outcome).toMatchObject({ status: 'truncated', usage: null })
  expect(outcome?.delivered.bytes).toBeGreaterThan(0)
  await relay.stop()
})

test.each(broken)('a completion with "%s" is an error', async (how) => {
  const stream = await providerOf(how).open(callWith(how)(new AbortController().signal))
  await expect(collectCompletion(stream)).rejects.toMatchObject({ name: 'UpstreamError' })
})

test.each([
  ['says nothing more', ''],
  ['sends comments', ': still here\n\n'],
])(
  'a provider that keeps its stream open after the finish reason, and %s, is not awaited',
  async (_, comment) => {
    const server = await startProviderServer((response) => {
      openEvents(response)
      response.write(chunk({ content: 'a' }, { finish: 'stop' }))
      const comments = setInterval(() => response.write(comment), 10)
      response.once('close', () => clearInterval(comments))
    })
    const lingering = createOpenAiCompatibleProvider({
      profile: sandboxProfile,
      baseUrl: server.url,
      timeouts: { tail: 100, total: 3_000 },
    })
    const outcome = await relayEventStream(await lingering.open(chatCall('hello')), memorySink())
    expect(outcome).toMatchObject({ status: 'complete', usage: null })
    await lingering.close()
    await server.stop()
  },
)

test('a response that is still arriving when the time for a call is over is an error as a stream, and as a whole ends with the reason length', async () => {
  const server = await startProviderServer((response) => {
    openEvents(response)
    const words = setInterval(() => response.write(chunk({ content: 'a' })), 10)
    response.once('close', () => clearInterval(words))
  })
  const endless = withBreaker(
    createOpenAiCompatibleProvider({
      profile: sandboxProfile,
      baseUrl: server.url,
      timeouts: { total: 300 },
    }),
    { threshold: 1 },
  )
  const [streamed, whole] = await Promise.all([
    relayEventStream(await endless.open(chatCall('hello')), memorySink()),
    collectCompletion(await endless.open(chatCall('hello'))),
  ])
  expect(streamed).toMatchObject({ status: 'truncated', error: { code: 'upstream_overtime' } })
  expect(whole.stoppedBy).toBe('time')
  expect(whole.completion(null).choices).toMatchObject([
    { message: { content: expect.stringMatching(/^a+$/) }, finish_reason: 'length' },
  ])
  expect(endless.available()).toBe(true)
  await endless.close()
  await server.stop()
})

test('a stall and a cut have different codes', async () => {
  const codes = await Promise.all(
    ['stall_after=5', 'cut_after=5'].map(async (how) => {
      const call = callWith(how)(new AbortController().signal)
      const outcome = await relayEventStream(await providerOf(how).open(call), memorySink())
      return outcome.status === 'truncated' ? outcome.error.code : outcome.status
    }),
  )
  expect(codes).toEqual(['upstream_timeout', 'upstream_truncated'])
})

test.each([
  ['cut off', '', 'truncated'],
  ['ended in order', 'data: [DONE]\n\n', 'complete'],
])('one choice of two, %s: %#', async (_, end, status) => {
  const server = await startProviderServer((response) => {
    openEvents(response)
    response.end(chunk({ content: 'a' }, { finish: 'stop' }) + end)
  })
  const own = createOpenAiCompatibleProvider({ profile: sandboxProfile, baseUrl: server.url })
  const call = chatCall('hello', { request: { n: 2 } })
  expect(await relayEventStream(await own.open(call), memorySink())).toMatchObject({ status })
  await own.close()
  await server.stop()
})
