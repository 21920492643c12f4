import type { ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import {
  type ChatCall,
  createOpenAiCompatibleProvider,
  groqProfile,
  type RelayOutcome,
  relayEventStream,
  type StreamSink,
  sandboxProfile,
  withBreaker,
} from '../../src/index.ts'
import { defaultTimeouts } from '../../src/transport/timeouts.ts'
import { chatCall } from '../support/call.ts'
import { connectedProviders } from '../support/connected.ts'
import { inSteps, steppedTimers } from '../support/in-steps.ts'
import { memorySink } from '../support/memory-sink.ts'
import { chunk, openEvents } from '../support/provider-server.ts'
import { type SandboxProvider, startSandboxProvider } from '../support/sandbox-provider.ts'

let running: SandboxProvider
const { open, setUp } = connectedProviders()

beforeAll(async () => {
  running = await startSandboxProvider({ firstTokenMs: 5, tokensPerSecond: 2000 })
})
afterAll(() => running.stop())
afterEach(() => {
  vi.useRealTimers()
})

type LeavingOptions = {
  readonly drain?: number
  readonly call?: Partial<ChatCall>
  readonly profile?: typeof sandboxProfile
  /** Is called once the client has disconnected, as the stream begins to be relayed. */
  readonly onLeft?: () => void
}

/** Relays to a client that disconnects before the first chunk is relayed. */
async function relayToLeaver(
  instruct: string,
  options: LeavingOptions = {},
): Promise<RelayOutcome> {
  const provider = createOpenAiCompatibleProvider({
    profile: options.profile ?? groqProfile,
    baseUrl: running.sandbox.chatBaseUrl,
    timeouts: { drain: options.drain ?? defaultTimeouts.drain },
  })
  open.push({ stop: () => provider.close() })
  const sink = memorySink()
  const call = chatCall(`[[sandbox: ${instruct}]] hello`, { signal: sink.closed })
  const stream = await provider.open({ ...call, ...options.call })
  sink.close()
  options.onLeft?.()
  return relayEventStream(stream, sink)
}

test('what comes after the disconnect is counted when the usage does not come in time', async () => {
  vi.useFakeTimers(steppedTimers)
  const outcome = await inSteps(relayToLeaver('stall_after=5', { drain: 300 }))
  expect(outcome).toMatchObject({ status: 'client_gone', reason: 'closed', usage: null })
  expect(outcome).not.toHaveProperty('error')
  expect(outcome.delivered.choices[0]?.content).toContain('sandbox')
})

test('a call may ask for its usage whatever the provider does after a disconnect', async () => {
  const instruct = 'tokens=50 tokens_per_second=500'
  const profile = sandboxProfile
  expect(await relayToLeaver(instruct, { profile })).toMatchObject({ usage: null })
  const outcome = await relayToLeaver(instruct, { profile, call: { onClientGone: 'drain' } })
  expect(outcome).toMatchObject({ status: 'client_gone', usage: { outputTokens: 50 } })
})

test('the usage is not awaited once the gateway stops', async () => {
  const stopping = new AbortController()
  const outcome = await relayToLeaver('stall_after=2', {
    call: { stop: stopping.signal },
    onLeft: () => setTimeout(() => stopping.abort(), 100),
  })
  expect(outcome).toMatchObject({ status: 'client_gone', usage: null })
})

test('a provider that fails after the disconnect is named', async () => {
  expect(await relayToLeaver('end_after=5')).toMatchObject({
    status: 'client_gone',
    error: { code: 'upstream_truncated' },
  })
})

test('a long response is read to its end: the wait covers minutes', () => {
  expect(defaultTimeouts.drain).toBeGreaterThanOrEqual(300_000)
})

test('the usage of a client that reads nothing is awaited too', async () => {
  const blocked: StreamSink = {
    write: () => false,
    drained: () => new Promise(() => undefined),
    closed: new AbortController().signal,
  }
  const call = chatCall('[[sandbox: tokens=50 tokens_per_second=200]] hello')
  const stream = await running.provider.open({ ...call, onClientGone: 'drain' })
  expect(await relayEventStream(stream, blocked, { idleWrite: 50 })).toMatchObject({
    status: 'client_gone',
    reason: 'slow',
    usage: { outputTokens: 50 },
  })
})

/** A provider that sends as fast as it is read. */
function pour(response: ServerResponse): void {
  openEvents(response)
  const fill = (): void => {
    while (!response.destroyed && response.write(chunk({ content: 'x'.repeat(16_384) })));
  }
  response.on('drain', fill)
  fill()
}

/** A client that always reads a little, and never enough, while `isSlow`. */
const slowSink = (isSlow: () => boolean = () => true): StreamSink => ({
  write: () => false,
  drained: async () => {
    if (isSlow()) await new Promise((resolve) => setTimeout(resolve, 20))
  },
  closed: new AbortController().signal,
})

test.each([
  ['the time for the call', { total: 500, idle: 100 }],
  ['the time for which the provider may wait', { backPressure: 200, idle: 100 }],
])(
  'a client that reads too slowly is cut off after %s, and the provider is not blamed',
  async (_, timeouts) => {
    vi.useFakeTimers(steppedTimers)
    const { provider } = await setUp(pour, { timeouts })
    const guarded = withBreaker(provider, { threshold: 1 })
    const stream = await guarded.open(chatCall('hello'))
    const outcome = await inSteps(relayEventStream(stream, slowSink()))
    expect(outcome).toMatchObject({ status: 'client_gone', reason: 'slow' })
    expect(guarded.available('upstream-model')).toBe(true)
    expect(guarded.breaker()).toBe('closed')
  },
)

test('a client that was too slow while it was not waited for is cut off at its next wait', async () => {
  const opened = await running.provider.open(chatCall('[[sandbox: stall_after=5]] hello'))
  const stream = { ...opened, readerTooSlow: AbortSignal.abort() }
  const blocked = { ...slowSink(), drained: () => new Promise<void>(() => undefined) }
  expect(await relayEventStream(stream, blocked, { idleWrite: 600_000 })).toMatchObject({
    status: 'client_gone',
    reason: 'slow',
  })
})

test('a provider that closes a connection which was not read is not blamed', async () => {
  vi.useFakeTimers(steppedTimers)
  const state = { isClosed: false }
  const { provider } = await setUp((response) => {
    const unread = setTimeout(() => {
      state.isClosed = true
      response.destroy()
    }, 100)
    response.on('drain', () => unread.refresh())
    pour(response)
  })
  const guarded = withBreaker(provider, { threshold: 1 })
  const stream = await guarded.open(chatCall('hello'))
  const sink = slowSink(() => !state.isClosed)
  expect(await inSteps(relayEventStream(stream, sink))).toMatchObject({
    status: 'client_gone',
    reason: 'slow',
  })
  expect(guarded.breaker()).toBe('closed')
})

test('the usage of a client that reads too slowly is awaited where it would be after a disconnect', async () => {
  const { provider } = await setUp(
    (response) => {
      openEvents(response)
      response.write(chunk({ content: 'x'.repeat(16_384) }).repeat(400))
      response.write(
        chunk({}, { finish: 'stop', usage: { prompt_tokens: 5, completion_tokens: 60 } }),
      )
      response.end('data: [DONE]\n\n')
    },
    { timeouts: { backPressure: 100 } },
  )
  const stream = await provider.open({ ...chatCall('hello'), onClientGone: 'drain' })
  expect(await relayEventStream(stream, slowSink())).toMatchObject({
    status: 'client_gone',
    reason: 'slow',
    usage: { outputTokens: 60 },
  })
})
