import { payerAccount } from '@farebox/devnet'
import { createMemoryStore } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import {
  type HandlerSale,
  openPaywall,
  type PaidHandler,
  paidHandler,
} from '@farebox/payments/fetch'
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { watched } from '../support/watched-paywall.ts'
import { openDevnetPaywall, payerFunds } from './devnet-paywall.ts'
import { payingFetch } from './paying-fetch.ts'

const { devnet, paywall, usdcOf } = openDevnetPaywall()

test('an X-Replay-Secret of more than 256 characters is a 400 that names it', async () => {
  const handle = sell({ serve: () => Promise.reject(new Error('not served')) })
  const send = (length: number): Promise<Response> =>
    handle(
      new Request('http://a.example/x', { headers: { 'X-Replay-Secret': 's'.repeat(length) } }),
    )
  expect((await send(256)).status).toBe(402)
  const refused = await send(257)
  expect(refused.status).toBe(400)
  expect(await refused.json()).toMatchObject({
    error: { code: 'invalid_field', param: 'X-Replay-Secret' },
  })
})

type Sent = { readonly fetch: typeof fetch; readonly requests: Request[] }

/** A stock client whose requests go to a handler, and the requests that it sent. */
function paying(payer: number, handler: (request: Request) => Response | Promise<Response>): Sent {
  const requests: Request[] = []
  const send: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    requests.push(request.clone())
    return await handler(request)
  }
  return { fetch: payingFetch(payer, send), requests }
}

function sell(sale: Partial<HandlerSale> & Pick<HandlerSale, 'serve'>): PaidHandler {
  return paidHandler(paywall(), {
    description: 'capitals',
    price: () => atomicUsdc(10_000n),
    ...sale,
  })
}

const url = 'http://shop.example/shout'
const post = (body: string): RequestInit => ({ method: 'POST', body })

/** The text in capitals, word by word. */
async function* shouted(text: string): AsyncGenerator<Uint8Array> {
  for (const word of text.split(' ')) yield new TextEncoder().encode(`${word.toUpperCase()}!`)
}

test('an app of Hono sells a stream that is billed at its end, and the rest is refunded', async () => {
  let words = 0n
  const shout = sell({
    price: async (request) => atomicUsdc(1_000n * BigInt((await request.text()).length)),
    async serve(request) {
      const text = await request.text()
      words = BigInt(text.split(' ').length)
      const response = new Response(ReadableStream.from(shouted(text)))
      return { response, cost: () => atomicUsdc(400n * words) }
    },
  })
  const app = new Hono().post('/shout', (context) => shout(context.req.raw))
  const paid = await paying(0, app.fetch).fetch(url, post('ten chars!'))
  expect(await paid.text()).toBe('TEN!CHARS!!')
  expect(paid.headers.get('payment-response')).toBeTruthy()
  await expect.poll(() => usdcOf(0)).toBe(payerFunds - 800n)
})

test('a route handler sells JSON once, and gives it again to the identical request', async () => {
  let served = 0
  const POST = sell({
    async serve(request) {
      served += 1
      const response = Response.json({ text: (await request.text()).toUpperCase() })
      return { response, cost: atomicUsdc(4_000n) }
    },
  })
  const client = paying(1, POST)
  const paid = await client.fetch(url, post('hello'))
  expect([paid.status, await paid.json()]).toEqual([200, { text: 'HELLO' }])
  const last = client.requests.at(-1) ?? new Request(url)
  const again = await POST(last.clone())
  expect([again.status, await again.json()]).toEqual([200, { text: 'HELLO' }])
  const other = await POST(new Request(last, { body: 'another' }))
  expect(await other.json()).toMatchObject({ error: { code: 'authorization_reused' } })
  expect(served).toBe(1)
  await expect.poll(() => usdcOf(1)).toBe(payerFunds - 4_000n)
})

test('a response without a body is given again to the identical request', async () => {
  const DELETE = sell({
    serve: async () => ({
      response: new Response(null, { status: 204 }),
      cost: atomicUsdc(4_000n),
    }),
  })
  const client = paying(1, DELETE)
  expect((await client.fetch(url, post('gone'))).status).toBe(204)
  const again = await DELETE(client.requests.at(-1)!.clone())
  expect([again.status, await again.text()]).toEqual([204, ''])
})

test('a handler that throws, and a stream that breaks, are refunded in full', async () => {
  const faults: unknown[] = []
  const fault = new Error('out of breath')
  const thrown = sell({
    serve: async () => {
      throw fault
    },
    onFault: (error) => faults.push(error),
  })
  const answer = await paying(2, thrown).fetch(url, post('a'))
  expect([answer.status, await answer.json()]).toMatchObject([
    500,
    { error: { code: 'handler_failed' } },
  ])
  expect(faults).toEqual([fault])

  const broken = sell({
    serve: async () => ({ response: new Response(failing()), cost: atomicUsdc(10_000n) }),
  })
  const cut = await paying(2, broken).fetch(url, post('b'))
  await expect(cut.text()).rejects.toThrow('out of breath')
  await expect.poll(() => usdcOf(2)).toBe(payerFunds)
  expect(await devnet().usdcBalance(devnet().treasury.address)).toBeGreaterThan(0n)
})

test.each<[string, HandlerSale['serve'], string]>([
  [
    'a cost that is not a bigint',
    async () => ({ response: Response.json({}), cost: 5_000 as never }),
    'invalid_cost',
  ],
  [
    'a response that was read',
    async () => {
      const response = new Response('once')
      await response.text()
      return { response, cost: atomicUsdc(1n) }
    },
    'body_used',
  ],
  ['a response without a cost', async () => new Response('text') as never, 'no_response'],
  ['nothing', async () => undefined as never, 'no_response'],
  [
    'a text as its response',
    async () => ({ response: 'text' as never, cost: atomicUsdc(1n) }),
    'no_response',
  ],
])('a handler that returns %s is refunded in full', async (_, serve, code) => {
  const faults: unknown[] = []
  const handler = sell({ serve, onFault: (error) => faults.push(error) })
  const answer = await paying(6, handler).fetch(url, post('a'))
  expect(await answer.json()).toMatchObject({ error: { code: 'handler_failed' } })
  expect(faults).toMatchObject([{ code }])
})

test('a stream whose cost is not a bigint is broken off and refunded in full', async () => {
  const handler = sell({
    serve: async () => ({ response: new Response('text'), cost: () => 5_000 as never }),
  })
  const answer = await paying(7, handler).fetch(url, post('a'))
  await expect(answer.text()).rejects.toMatchObject({ code: 'invalid_cost' })
  await expect.poll(() => usdcOf(7)).toBe(payerFunds)
})

test('a price of zero is an error before any payment', async () => {
  const handler = sell({
    price: () => atomicUsdc(0n),
    serve: () => Promise.reject(new Error('not served')),
  })
  await expect(handler(new Request(url, post('a')))).rejects.toMatchObject({
    code: 'invalid_price',
  })
})

function failing(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('first'))
    },
    pull(controller) {
      controller.error(new Error('out of breath'))
    },
  })
}

test('a client that disconnects ends the stream, and pays what it cost until then', async () => {
  let made = 0n
  let canceled = false
  const endless = sell({
    serve: async () => ({
      response: new Response(
        new ReadableStream({
          pull(controller) {
            made += 1n
            controller.enqueue(new TextEncoder().encode('more'))
          },
          cancel() {
            canceled = true
          },
        }),
      ),
      cost: () => atomicUsdc(100n * made),
    }),
  })
  const paid = await paying(3, endless).fetch(url, post('more'))
  const reader = paid.body?.getReader()
  await reader?.read()
  await reader?.cancel()
  expect(canceled).toBe(true)
  await expect.poll(() => usdcOf(3)).toBe(payerFunds - 100n * made)
})

test.each(['while it waits for a piece', 'while pieces wait for it'])(
  'a client that disconnects %s pays the cost until then, although its handler stops the stream with an error',
  async (when) => {
    const store = createMemoryStore()
    const shop = openPaywall({
      network: 'devnet',
      rpcUrl: devnet().rpcUrl,
      treasuryKey: devnet().treasury.privateKey,
      relayerKey: devnet().relayer.privateKey,
      store,
    })
    const pieces = when === 'while pieces wait for it' ? 9 : 1
    const handler = paidHandler(shop, {
      description: 'capitals',
      price: () => atomicUsdc(10_000n),
      serve: async (_, { signal }) => ({
        response: new Response(untilAborted(signal, pieces)),
        cost: () => atomicUsdc(700n),
      }),
    })
    const leaving = new AbortController()
    const client = paying(4, handler)
    const paid = await client.fetch(url, { ...post('more'), signal: leaving.signal })
    const reader = paid.body?.getReader()
    await reader?.read()
    leaving.abort()
    await reader?.cancel().catch(() => undefined)
    const { value: sold } = await store.exportPayments()[Symbol.asyncIterator]().next()
    expect(sold?.payment).toMatchObject({ status: 'completed', cost: 700n })
    await shop.close()
  },
)

/** A body of some pieces, which waits for more until it is stopped. */
function untilAborted(signal: AbortSignal, pieces: number): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (let made = 0; made < pieces; made += 1) controller.enqueue(new Uint8Array(1))
      signal.addEventListener('abort', () => controller.error(signal.reason))
    },
  })
}

test('a client that leaves, so that its handler throws, counts against its payer; a fault does not', async () => {
  const store = createMemoryStore()
  const shop = openPaywall({
    network: 'devnet',
    rpcUrl: devnet().rpcUrl,
    treasuryKey: devnet().treasury.privateKey,
    relayerKey: devnet().relayer.privateKey,
    store,
  })
  const leaving = new AbortController()
  const handler = paidHandler(shop, {
    description: 'capitals',
    price: () => atomicUsdc(10_000n),
    async serve(request) {
      if ((await request.text()) === 'leave') leaving.abort()
      throw new Error('not served')
    },
  })
  const counted: number[] = []
  for (const text of ['fail', 'leave']) {
    await paying(5, handler).fetch(url, { ...post(text), signal: leaving.signal })
    const subject = payerAccount(5).address.toLowerCase()
    counted.push((await store.payerFaults({ subject, now: Date.now() })).length)
  }
  expect(counted).toEqual([0, 1])
  await shop.close()
})

test('a body above the limit is a 413 before its price is asked', async () => {
  const small = sell({
    maxBodyBytes: 4,
    price: () => {
      throw new Error('asked')
    },
    serve: async () => ({ response: new Response(), cost: atomicUsdc(0n) }),
  })
  const refused = await small(new Request(url, post('12345')))
  expect([refused.status, await refused.json()]).toMatchObject([
    413,
    { error: { code: 'body_too_large' } },
  ])
})

test('payers are counted by the address that the server knows, and by no header', async () => {
  const { paywall: asked, seen } = watched(paywall())
  const sale = {
    description: 'nothing',
    price: () => atomicUsdc(1_000n),
    serve: () => Promise.reject(new Error('never called')),
  }
  const request = () => new Request(url, { headers: { 'x-forwarded-for': '198.51.100.9' } })
  const plain = paidHandler(asked, sale)
  const withAddress = paidHandler(asked, {
    ...sale,
    clientAddress: (_request, { address }: { readonly address: string }) => address,
  })
  const app = new Hono<{ Bindings: { address: string } }>()
  app.get('/plain', (context) => plain(context.req.raw))
  app.get('/hono', (context) => withAddress(context.req.raw, context.env))
  const env = { address: '::ffff:192.0.2.7' }
  expect((await plain(request())).status).toBe(402)
  expect((await app.request('/plain', request(), env)).status).toBe(402)
  expect((await app.request('/hono', request(), env)).status).toBe(402)
  expect(seen).toEqual([undefined, undefined, '192.0.2.7'])
})
