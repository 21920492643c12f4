import { afterAll, beforeAll, expect, test } from 'vitest'
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
import { memorySink } from '../support/memory-sink.ts'
import { chunk, openEvents } from '../support/provider-server.ts'
import { type SandboxProvider, startSandboxProvider } from '../support/sandbox-provider.ts'

let running: SandboxProvider
const { open, setUp } = connectedProviders()

beforeAll(async () => {
  running = await startSandboxProvider({ firstTokenMs: 5, tokensPerSecond: 2000 })
})
afterAll(() => running.stop())

type LeavingOptions = {
  readonly drain?: number
  readonly call?: Partial<ChatCall>
  readonly profile?: typeof sandboxProfile
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
  return relayEventStream(stream, sink)
}

test('what comes after the disconnect is counted when the usage does not come in time', async () => {
  const outcome = await relayToLeaver('stall_after=5', { drain: 300 })
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
  const relaying = relayToLeaver('stall_after=2', { call: { stop: stopping.signal } })
  setTimeout(() => stopping.abort(), 100)
  expect(await relaying).toMatchObject({ status: 'client_gone', usage: null })
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

test('a client that reads too slowly is cut off after the time for the call, and the provider is not blamed', async () => {
  const { provider } = await setUp(
    (response) => {
      openEvents(response)
      const pour = (): void => {
        while (!response.destroyed && response.write(chunk({ content: 'x'.repeat(16_384) })));
      }
      response.on('drain', pour)
      pour()
    },
    { timeouts: { total: 500, idle: 100 } },
  )
  const guarded = withBreaker(provider, { threshold: 1 })
  const slow: StreamSink = {
    write: () => false,
    drained: () => new Promise((resolve) => setTimeout(resolve, 20)),
    closed: new AbortController().signal,
  }
  const outcome = await relayEventStream(await guarded.open(chatCall('hello')), slow)
  expect(outcome).toMatchObject({ status: 'client_gone', reason: 'slow' })
  expect(guarded.available('upstream-model')).toBe(true)
  expect(guarded.breaker()).toBe('closed')
})
