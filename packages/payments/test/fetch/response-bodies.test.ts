import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { atomicUsdc } from '@farebox/money'
import { type HandlerSale, paidHandler, type ServedResponse } from '@farebox/payments/fetch'
import { Hono } from 'hono'
import { expect, onTestFinished, test } from 'vitest'
import { openDevnetPaywall, payerFunds } from './devnet-paywall.ts'
import { payingFetch } from './paying-fetch.ts'

const { paywall, usdcOf } = openDevnetPaywall()

/** A stock client that pays an app of Hono with one paid route for GET, and so for HEAD. */
function buyerOf(
  payer: number,
  serve: () => ServedResponse,
  onFault?: HandlerSale['onFault'],
): typeof fetch {
  const handle = paidHandler(paywall(), {
    ...(onFault && { onFault }),
    description: 'a file',
    price: () => atomicUsdc(10_000n),
    serve: async () => serve(),
  })
  const app = new Hono().get('/file', (context) => handle(context.req.raw))
  return payingFetch(payer, async (input, init) => await app.fetch(new Request(input, init)))
}

const url = 'http://shop.example/file'

test('a HEAD is billed at once, although the body is not read', async () => {
  let isStopped = false
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(1_000)),
    cancel: () => {
      isStopped = true
    },
  })
  const headers = { 'content-type': 'text/csv', 'content-length': '123456' }
  const buy = buyerOf(0, () => ({
    response: new Response(body, { headers }),
    cost: () => atomicUsdc(4_000n),
  }))
  const paid = await buy(url, { method: 'HEAD' })
  expect([paid.status, paid.headers.get('content-length'), isStopped]).toEqual([
    200,
    '123456',
    true,
  ])
  await expect.poll(() => usdcOf(0)).toBe(payerFunds - 4_000n)
})

test('Response.error() has no status to send, and is refunded in full', async () => {
  const buy = buyerOf(1, () => ({ response: Response.error(), cost: atomicUsdc(4_000n) }))
  const paid = await buy(url)
  expect([paid.status, await paid.json()]).toMatchObject([
    500,
    { error: { code: 'handler_failed' } },
  ])
  await expect.poll(() => usdcOf(1)).toBe(payerFunds)
})

test('a compressed response of another server is delivered as what fetch decoded', async () => {
  const server = createServer((_, response) => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    const body = gzipSync('{"answer":"is compressed, is compressed, is compressed"}')
    response.writeHead(200, { ...headers, 'content-length': body.length }).end(body)
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const upstream = await fetch(`http://127.0.0.1:${port}`)
  const paid = await buyerOf(3, () => ({ response: upstream, cost: atomicUsdc(4_000n) }))(url)
  expect(await paid.json()).toEqual({ answer: 'is compressed, is compressed, is compressed' })
  const left = ['content-encoding', 'content-length'].filter((name) => paid.headers.has(name))
  expect(left).toEqual([])
})

test('a JSON text sequence is streamed', { timeout: 60_000 }, async () => {
  let push = (_text: string): void => undefined
  let end = (): void => undefined
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      push = (text) => controller.enqueue(new TextEncoder().encode(text))
      end = () => controller.close()
    },
  })
  push('\u001e{}\n')
  const headers = { 'content-type': 'application/json-seq' }
  const buy = buyerOf(2, () => ({
    response: new Response(body, { headers }),
    cost: atomicUsdc(4_000n),
  }))
  const paid = await buy(url)
  end()
  expect([paid.status, await paid.text()]).toEqual([200, '\u001e{}\n'])
})

test('what broke a stream, or its cost, is reported', async () => {
  const faults: unknown[] = []
  const broken = new Error('out of paper')
  const unpriced = new Error('no meter')
  const printed = buyerOf(
    3,
    () => ({
      response: new Response(
        new ReadableStream({
          pull(controller) {
            controller.error(broken)
          },
        }),
      ),
      cost: atomicUsdc(4_000n),
    }),
    (error) => faults.push(error),
  )
  await expect(printed(url).then((paid) => paid.text())).rejects.toThrow('out of paper')
  const metered = buyerOf(
    4,
    () => ({
      response: new Response('text'),
      cost: () => {
        throw unpriced
      },
    }),
    (error) => faults.push(error),
  )
  await expect(metered(url).then((paid) => paid.text())).rejects.toThrow('no meter')
  expect(faults).toEqual([broken, unpriced])
})

test('an observer of faults that throws does not keep the refund back', async () => {
  const buy = buyerOf(
    5,
    () => {
      throw new Error('not served')
    },
    () => {
      throw new Error('not logged')
    },
  )
  expect((await buy(url)).status).toBe(500)
  await expect.poll(() => usdcOf(5)).toBe(payerFunds)
})
