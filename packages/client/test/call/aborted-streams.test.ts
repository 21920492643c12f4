import { once } from 'node:events'
import { expect, test } from 'vitest'
import { collectGarbage } from '../../../../scripts/testing/collect-garbage.ts'
import { createFareboxClient, type FareboxClient } from '../../src/index.ts'
import { testStage } from '../support/test-stage.ts'

type Stream = { next(): Promise<unknown> }
type Open = (client: FareboxClient, signal: AbortSignal) => Promise<Stream>

const stage = testStage()
const path = '/v1/chat/completions'
const messages = [{ role: 'user' as const, content: 'hello' }]
const init = { method: 'POST', body: JSON.stringify({ messages }) }
const choices = [{ index: 0, delta: { content: 'Hello' }, finish_reason: null }]
const event = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices }

/** Streams one event, and resolves when the client disconnects. */
function untilDisconnected(): Promise<void> {
  const { gateway } = stage
  return new Promise((resolve) => {
    gateway.paid = [
      async (response, arrival) => {
        const receipt = await gateway.settle(arrival)
        response.writeHead(200, { 'content-type': 'text/event-stream', ...receipt })
        response.write(`data: ${JSON.stringify(event)}\n\n`)
        await once(response, 'close')
        resolve()
      },
    ]
  })
}

function readerOf(response: Response): Stream {
  const reader = response.body?.getReader()
  return { next: async () => await reader?.read() }
}

test.each<[string, Open]>([
  ['fetch', async ({ fetch }, signal) => readerOf(await fetch(path, { ...init, signal }))],
  [
    'chatStream',
    async (client, signal) =>
      (await client.chatStream({ messages }, { signal }))[Symbol.asyncIterator](),
  ],
])('an abort ends a paid stream of %s after garbage was collected', async (_, open) => {
  const disconnected = untilDisconnected()
  const caller = new AbortController()
  const stream = await open(stage.connect(), caller.signal)
  await stream.next()
  await collectGarbage()
  caller.abort(new Error('enough'))
  await expect(stream.next()).rejects.toThrow('enough')
  await disconnected
})

test('an abort ends an unpaid stream after garbage was collected', async () => {
  const { gateway } = stage
  gateway.free = {
    [path]: (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: {}\n\n')
    },
  }
  const caller = new AbortController()
  const { signal } = caller
  const { fetch } = createFareboxClient({ baseUrl: gateway.url })
  const stream = readerOf(await fetch(path, { ...init, signal }))
  await stream.next()
  await collectGarbage()
  caller.abort(new Error('enough'))
  await expect(stream.next()).rejects.toThrow('enough')
})
