import { afterEach, expect, test, vi } from 'vitest'
import { signedCall } from '../../src/call/signed-call.ts'
import { azureProfile, createOpenAiCompatibleProvider, groqProfile } from '../../src/index.ts'
import { openAiWire } from '../../src/openai/openai-wire.ts'
import { chatCall } from '../support/call.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** A provider whose token server accepts requests and never responds. */
function withoutToken() {
  return createOpenAiCompatibleProvider({
    profile: azureProfile,
    baseUrl: 'http://127.0.0.1:1',
    headers: () => new Promise(() => undefined),
  })
}

test('a token that never arrives ends the call at the time for its first token', async () => {
  vi.useFakeTimers()
  const failing = withoutToken().open({ ...chatCall('hello'), firstToken: 2_000 })
  const failed = expect(failing).rejects.toMatchObject({
    code: 'upstream_unavailable',
    executed: 'no',
  })
  await vi.advanceTimersByTimeAsync(2_000)
  await failed
  expect(vi.getTimerCount()).toBe(0)
})

test('routes before it leave a token only the rest of the time for the first token', async () => {
  vi.useFakeTimers()
  const failing = withoutToken().open({ ...chatCall('hello'), until: Date.now() + 500 })
  const failed = expect(failing).rejects.toMatchObject({ executed: 'no' })
  await vi.advanceTimersByTimeAsync(500)
  await failed
})

test.each(['signal', 'stop'] as const)('%s ends a call that waits for its token', async (name) => {
  const ending = new AbortController()
  const failing = withoutToken().open({ ...chatCall('hello'), [name]: ending.signal })
  ending.abort()
  await expect(failing).rejects.toMatchObject({ code: 'aborted', executed: 'no' })
})

test('a call that ended before it was made waits for no token', async () => {
  const call = { ...chatCall('hello'), signal: AbortSignal.abort() }
  await expect(withoutToken().open(call)).rejects.toMatchObject({ code: 'aborted', executed: 'no' })
})

test('the time for a token is part of the time for the first token', async () => {
  let now = 1_000
  const signed = await signedCall(chatCall('hello'), {
    wire: openAiWire(groqProfile, { apiKey: 'key' }),
    baseUrl: 'http://127.0.0.1:1',
    timeouts: { firstToken: 5_000 },
    clock: () => now,
    headers: async () => {
      now = 3_000
      return {}
    },
  })
  expect(signed.call.until).toBe(6_000)
})
