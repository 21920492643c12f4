import { afterEach, expect, test, vi } from 'vitest'
import { openAttempt } from '../../src/call/open-attempt.ts'
import { groqProfile } from '../../src/index.ts'
import { openAiWire } from '../../src/openai/openai-wire.ts'
import { defaultTimeouts } from '../../src/transport/timeouts.ts'
import type { Receiver } from '../../src/transport/upstream-transport.ts'
import { chatCall } from '../support/call.ts'
import { chunk } from '../support/provider-server.ts'

afterEach(() => {
  vi.useRealTimers()
})

test('the usage is awaited while the client reads, however long that takes', async () => {
  vi.useFakeTimers()
  const posted = Promise.withResolvers<Receiver>()
  const opening = openAttempt(chatCall('hello'), {
    wire: openAiWire(groqProfile, { apiKey: 'key' }),
    transport: {
      post(_, receiver) {
        posted.resolve(receiver)
        return { pause: () => undefined, resume: () => undefined, cancel: () => undefined }
      },
      close: async () => undefined,
    },
    timeouts: defaultTimeouts,
    clock: Date.now,
    createId: () => 'id',
  })
  const provider = await posted.promise
  const send = (text: string): void => provider.data(Buffer.from(text))
  provider.head(200, { 'content-type': 'text/event-stream' })
  send(chunk({ content: 'x'.repeat(300_000) }))
  send(chunk({}, { finish: 'stop' }))
  vi.advanceTimersByTime(2 * defaultTimeouts.tail)
  send(chunk({}, { usage: { prompt_tokens: 5, completion_tokens: 60 } }))
  send('data: [DONE]\n\n')
  const opened = await opening
  if (opened.status === 'failed') throw opened.error
  let last: unknown
  for await (const event of opened.stream.events) last = event
  expect(last).toMatchObject({ type: 'finished', usage: { outputTokens: 60 } })
})
