// Faster tests of the same: disconnects of provider-proxy.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  answerWith,
  beginStream,
  chunk,
  openUpstream,
  type UpstreamServer,
} from '../contract/upstream-server.ts'
import { chatOf } from '../support/buy.ts'
import { chatPath } from '../support/sign-payment.ts'
import {
  type Attacked,
  attacked,
  figure,
  pause,
  signedFor,
  statusOf,
  unpaidStatus,
} from './attacked-gateway.ts'

/**
 * In the gateway, timeouts of more than two minutes pass 40 times faster: 15 minutes in 23 seconds. The
 * two until the first token do not: on a busy machine, that many late ones would close the provider.
 */
const hurry = `const wait = globalThis.setTimeout
globalThis.setTimeout = (work, ms, ...rest) => wait(work, ms > 120000 ? ms / 40 : ms, ...rest)`
const model = 'openai/gpt-4.1-nano'
/** More than the failures in a row that close a provider. */
const readers = 24

const state = { isSlow: true }

let upstream: UpstreamServer
let gateway: Attacked
beforeAll(async () => {
  upstream = await openUpstream({
    hello: (response) => answerWith(response, 'hello', { prompt_tokens: 8, completion_tokens: 5 }),
    pour: (response) => {
      beginStream(response)
      const words = chunk({ content: ' word'.repeat(4) }).repeat(100)
      const pour = (): void => {
        while (!response.destroyed && response.write(words));
      }
      response.on('drain', pour)
      pour()
    },
  })
  gateway = await attacked(readers + 1, {
    OPENAI_API_KEY: 'sk-test',
    OPENAI_BASE_URL: upstream.url,
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(hurry)}`,
  })
})
afterAll(async () => {
  await gateway.stop()
  upstream.close()
})

/** Buys a long answer and reads 64 KB of it five times a second at most. */
async function readSlowly(payer: number): Promise<Socket> {
  const body = chatOf('pour', { model, stream: true, max_tokens: 32_000, n: 8 })
  const paid = await signedFor(gateway, { payer: gateway.devnet.payers[payer]!, body })
  const { hostname, port, host } = new URL(gateway.url)
  const socket = connect(Number(port), hostname).on('error', () => undefined)
  const text = JSON.stringify(body)
  const headers = { Host: host, ...paid, 'Content-Length': `${text.length}`, Connection: 'close' }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const head = [`POST ${chatPath} HTTP/1.1`, 'Content-Type: application/json', ...lines]
  socket.write(`${head.join('\r\n')}\r\n\r\n${text}`)
  socket.on('data', () => {
    if (!state.isSlow) return
    socket.pause()
    setTimeout(() => socket.resume(), 200)
  })
  return socket
}

test('twenty-four clients that read slowly', async () => {
  const begun = performance.now()
  const seconds = () => Math.round((performance.now() - begun) / 1000)
  const sockets = await Promise.all(Array.from({ length: readers }, (_, at) => readSlowly(at)))
  const closed = Promise.all(sockets.map((socket) => once(socket, 'close')))
  const cutOff = () => upstream.arrived.filter((call) => call.abortedAt !== undefined).length
  await expect.poll(cutOff, { timeout: 90_000 }).toBe(readers)
  const cutOffAfter = seconds()
  state.isSlow = false
  const body = chatOf('hello', { model })
  const watch = { isOver: false }
  void closed.then(() => (watch.isOver = true))
  const statuses = new Set<number>()
  while (!watch.isOver) {
    statuses.add(await unpaidStatus(gateway, body))
    await pause(0.05)
  }
  const honest = await statusOf(gateway, { payer: gateway.devnet.payers[readers]!, body })
  figure(
    `${readers} clients that read slowly are cut off after ${cutOffAfter} s; others get ${[...statuses].join()}, then ${honest}`,
  )
  expect([...statuses]).toEqual([402])
  expect(honest).toBe(200)
})
