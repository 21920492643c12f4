import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type Devnet, payerAccount, startDevnet } from '@farebox/devnet'
import { createMemoryStore } from '@farebox/ledger'
import { atomicUsdc, type Usdc } from '@farebox/money'
import { openPaywall, type Paywall, type Sale, sell } from '@farebox/payments/express'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch'
import express from 'express'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSigner, wrapFetchWithPayment as wrapFetchV1 } from 'x402-fetch'
import { channelsOf, stockClient } from '../support/channel-shop.ts'
import { network } from '../support/pay.ts'
import { watched } from '../support/watched-paywall.ts'
import { expressShop, payingFetch } from './express-shop.ts'
import { openShoutApp } from './shout-app.ts'

let devnet: Devnet
const { ends, listen } = expressShop()

beforeAll(async () => {
  devnet = await startDevnet()
})
afterAll(() => devnet.stop())

function wallet() {
  const { rpcUrl, treasury, relayer } = devnet
  return {
    rpcUrl,
    treasuryKey: treasury.privateKey,
    relayerKey: relayer.privateKey,
    refundMinimum: atomicUsdc(1n),
  }
}

const usdcOf = (payer: number): Promise<bigint> => devnet.usdcBalance(payerAccount(payer).address)

type OnSale = { readonly url: string; readonly paywall: Paywall }

async function sellOn<Body>(sale: Sale<Body>, store = createMemoryStore()): Promise<OnSale> {
  const paywall = openPaywall({ ...wallet(), network: 'devnet', store })
  paywall.start()
  ends.push(() => paywall.close())
  const url = await listen(express().post('/sale', express.json(), sell(paywall, sale)))
  return { url: `${url}/sale`, paywall }
}

const post = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

const nothing: Sale<unknown> = {
  description: 'nothing',
  price: () => atomicUsdc(10_000n),
  serve: () => Promise.reject(new Error('not served')),
}

test('an X-Replay-Secret of more than 256 characters is a 400 that names it', async () => {
  const { url } = await sellOn(nothing)
  const send = (length: number): Promise<Response> =>
    fetch(url, { method: 'POST', headers: { 'X-Replay-Secret': 's'.repeat(length) } })
  expect((await send(256)).status).toBe(402)
  const refused = await send(257)
  expect(refused.status).toBe(400)
  expect(await refused.json()).toMatchObject({
    error: { code: 'invalid_field', param: 'X-Replay-Secret' },
  })
})

test('the app of the README sells a stream, priced by the request, and refunds the rest', async () => {
  const { app, paywall } = openShoutApp(wallet())
  ends.push(() => paywall.close())
  const url = `${await listen(app)}/shout`
  const paid = await payingFetch(0)(url, {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: 'ten chars!',
  })
  expect(await paid.text()).toBe('TEN!CHARS!!')
  expect(decodePaymentResponseHeader(paid.headers.get('payment-response') ?? '')).toMatchObject({
    success: true,
    amount: '10000',
  })
  await expect.poll(() => usdcOf(0)).toBe(1_000_000_000n - 4_000n)
})

test('the README shows that app as it is', async () => {
  const file = (path: string): Promise<string> => readFile(new URL(path, import.meta.url), 'utf8')
  expect(await file('../../README.md')).toContain(await file('./shout-app.ts'))
})

test('the first bytes arrive while the rest is still being made', async () => {
  const rest = Promise.withResolvers<undefined>()
  const { url } = await sellOn({
    description: 'a slow text',
    price: () => atomicUsdc(5_000n),
    async serve(_, response) {
      response.write('first')
      await rest.promise
      response.write('second')
      return { cost: atomicUsdc(5_000n) }
    },
  })
  const paid = await payingFetch(1)(url, post({}))
  const reader = paid.body?.getReader()
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('first')
  rest.resolve(undefined)
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('second')
})

test('a client that leaves, so that its service throws, counts against its payer; a fault does not', async () => {
  const store = createMemoryStore()
  const serving = Promise.withResolvers<undefined>()
  const sale: Sale<{ fails: boolean }> = {
    description: 'a long text',
    price: () => atomicUsdc(5_000n),
    async serve({ body }, _, { signal }) {
      if (body.fails) throw new Error('out of order')
      serving.resolve(undefined)
      await once(signal, 'abort')
      throw new Error('nobody reads it')
    },
  }
  const { url } = await sellOn(sale, store)
  const faults = async () => {
    const subject = payerAccount(6).address.toLowerCase()
    const counted = await store.payerFaults({ subject, now: Date.now() })
    return counted.map(({ cause }) => cause)
  }
  expect((await payingFetch(6)(url, post({ fails: true }))).status).toBe(500)
  const leaving = new AbortController()
  const left = payingFetch(6)(url, { ...post({ fails: false }), signal: leaving.signal })
  // If it is not served, the test fails below instead of waiting.
  await Promise.race([serving.promise, left])
  expect(await faults()).toEqual([])
  leaving.abort()
  await expect(left).rejects.toThrow('aborted')
  await expect.poll(faults).toEqual(['request_rejected'])
})

test('the legacy client pays too, and its answer as JSON is given again, never made again', async () => {
  const made: unknown[] = []
  const { url } = await sellOn<{ n: number }>({
    description: 'a number',
    price: ({ body }) => atomicUsdc(1_000n * BigInt(body.n)),
    async serve({ body }) {
      made.push(body)
      return { cost: atomicUsdc(1_000n), json: { answer: body.n } }
    },
  })
  const sent: RequestInit[] = []
  const recording: typeof fetch = (input, init) => {
    sent.push(init ?? {})
    return fetch(input, init)
  }
  const signer = await createSigner('base-sepolia', payerAccount(2).privateKey)
  const paid = await wrapFetchV1(recording, signer)(url, post({ n: 3 }))
  expect(await paid.json()).toEqual({ answer: 3 })
  const payment = paid.headers.get('x-payment-id')

  const again = await fetch(url, sent.at(-1))
  expect([again.status, await again.json()]).toEqual([200, { answer: 3 }])
  expect(again.headers.get('x-payment-id')).toBe(payment)

  const expensive = await fetch(url, { ...sent.at(-1), body: JSON.stringify({ n: 4 }) })
  expect(expensive.status).toBe(400)
  expect(await expensive.json()).toMatchObject({ error: { code: 'authorization_reused' } })
  expect(made).toEqual([{ n: 3 }])
})

test.each([
  ['exact', () => payingFetch(8)],
  ['a channel', () => stockClient(devnet, 9).fetch],
] as const)(
  'a client that pays by %s and has left before its turn is not served',
  async (_, payBy) => {
    const store = createMemoryStore()
    const paywall = openPaywall({ ...wallet(), network: 'devnet', store, channels: {} })
    ends.push(() => paywall.close())
    await paywall.channelRounds?.runOnce()
    let served = 0
    const handle = sell(paywall, {
      ...nothing,
      async serve() {
        served += 1
        return { cost: atomicUsdc(10_000n) }
      },
    })
    const leaving = new AbortController()
    const handled = Promise.withResolvers<unknown>()
    const app = express().post('/', async (request, response, next) => {
      const isPaid = request.get('payment-signature') !== undefined
      if (isPaid) {
        leaving.abort()
        await once(response, 'close')
      }
      await handle(request, response, next)
      if (isPaid) handled.resolve(undefined)
    })
    const call = payBy()(await listen(app), { method: 'POST', signal: leaving.signal })
    await expect(call).rejects.toThrow('aborted')
    await handled.promise
    expect(served).toBe(0)
    for (const { charged, reserved } of await channelsOf(store)) {
      expect([charged, reserved]).toEqual([0n, 0n])
    }
  },
)

test('50 copies of one payment are one answer and one transfer', async () => {
  let made = 0
  const { url } = await sellOn({
    description: 'one of a kind',
    price: () => atomicUsdc(7_000n),
    async serve() {
      made += 1
      return { cost: atomicUsdc(7_000n), json: { made } }
    },
  })
  const sent: RequestInit[] = []
  const holding: typeof fetch = async (input, init) => {
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : {}))
    if (!headers.has('payment-signature')) return await fetch(input, init)
    sent.push({ method: 'POST', headers, body: '{}' })
    return new Response('held back', { status: 200 })
  }
  const scheme = new ExactEvmScheme(privateKeyToAccount(payerAccount(3).privateKey))
  const client = new x402Client().register(network.caip2, scheme)
  await wrapFetchWithPayment(holding, client)(url, post({}))
  const answers = await Promise.all(Array.from({ length: 50 }, () => fetch(url, sent[0])))
  const statuses = new Set(answers.map((answer) => answer.status))
  expect(statuses.has(200)).toBe(true)
  expect([...statuses].every((status) => status === 200 || status === 503)).toBe(true)
  expect(made).toBe(1)
  expect(await usdcOf(3)).toBe(1_000_000_000n - 7_000n)
})

test.each(['before', 'after'])(
  'an answer that fails %s its first byte is refunded in full',
  async (when) => {
    const payer = when === 'before' ? 4 : 5
    const faults: unknown[] = []
    const { url } = await sellOn({
      description: 'a failure',
      price: () => atomicUsdc(9_000n),
      async serve(_, response) {
        if (when === 'after') response.write('half')
        throw new Error('out of order')
      },
      onFault: (error) => faults.push(error),
    })
    const answer = payingFetch(payer)(url, post({}))
    if (when === 'before') {
      const paid = await answer
      expect(paid.status).toBe(500)
      expect(paid.headers.get('x-should-retry')).toBe('false')
      expect(await paid.json()).toMatchObject({
        error: { code: 'handler_failed', type: 'api_error' },
      })
    } else {
      await expect(answer.then((paid) => paid.text())).rejects.toThrow(/fetch failed|terminated/)
    }
    await expect.poll(() => usdcOf(payer)).toBe(1_000_000_000n)
    expect(faults).toEqual([new Error('out of order')])
  },
)

const cyclic: { self?: unknown } = {}
cyclic.self = cyclic

test.each<[string, Sale<unknown>['serve'], string]>([
  ['a cost that is not a bigint', async () => ({ cost: 5_000 as never }), 'invalid_cost'],
  ['a cost below zero', async () => ({ cost: -1n as never }), 'invalid_cost'],
  ['no cost', async () => ({ json: {} }) as never, 'invalid_cost'],
  ['nothing', async () => undefined as never, 'invalid_cost'],
  ['json that cannot be written', async () => ({ cost: atomicUsdc(1n), json: cyclic }), ''],
  [
    'json in addition to a response that it sent',
    async (_, response) => {
      response.write('sent')
      return { cost: atomicUsdc(1n), json: {} }
    },
    'answer_sent',
  ],
])('a service that returns %s is refunded in full', async (_, serve, code) => {
  const faults: unknown[] = []
  const store = createMemoryStore()
  const onFault = (error: unknown): unknown => faults.push(error)
  const { url } = await sellOn({ ...nothing, serve, onFault }, store)
  const paid = payingFetch(7)(url, post({}))
  await paid.then((answer) => answer.text()).catch(() => undefined)
  const booked: string[] = []
  for await (const { payment } of store.exportPayments()) booked.push(payment.status)
  expect(booked).toEqual(['failed'])
  expect(faults).toMatchObject([code === '' ? { name: 'TypeError' } : { code }])
})

test('payers are counted by the address that Express trusts', async () => {
  const { paywall, seen } = watched(
    openPaywall({ ...wallet(), network: 'devnet', store: createMemoryStore() }),
  )
  ends.push(() => paywall.close())
  const handle = sell(paywall, {
    description: 'nothing',
    price: () => atomicUsdc(1_000n),
    serve: () => Promise.reject(new Error('never called')),
  })
  const headers = { 'x-forwarded-for': '2001:db8:1:2ff::9' }
  for (const app of [express(), express().set('trust proxy', 'loopback')]) {
    const url = await listen(app.post('/sale', handle))
    expect((await fetch(`${url}/sale`, { method: 'POST', headers })).status).toBe(402)
  }
  expect(seen).toEqual(['127.0.0.1', '2001:db8:1:200::/56'])
})

test('a price may follow from the parameters of the path', async () => {
  const paywall = openPaywall({ ...wallet(), network: 'devnet', store: createMemoryStore() })
  ends.push(() => paywall.close())
  const file = sell(paywall, {
    ...nothing,
    price: ({ params: { name = '' } }) => atomicUsdc(1_000n * BigInt(name.length)),
  })
  const url = await listen(express().get('/files/:name', file))
  const asked = await fetch(`${url}/files/abcd`)
  expect(await asked.json()).toMatchObject({ accepts: [{ maxAmountRequired: '4000' }] })
})

test('a price that cannot be computed is an error before any payment', async () => {
  const { url } = await sellOn({
    description: 'nothing',
    price: () => {
      throw new Error('no such thing')
    },
    serve: () => Promise.reject(new Error('never called')),
  })
  const silent = await fetch(url, post({}))
  expect(silent.status).toBe(500)
})

test.each([0n, -1n, 1_000])('a price of %s is an error before any payment', async (price) => {
  const { url } = await sellOn({ ...nothing, price: () => price as Usdc })
  const silent = await fetch(url, post({}))
  expect([silent.status, await silent.text()]).toEqual([
    500,
    expect.stringContaining('price must return USDC above zero'),
  ])
})

test('a paywall without a way to settle does not open', () => {
  const { rpcUrl, treasuryKey } = wallet()
  const store = createMemoryStore()
  expect(() => openPaywall({ rpcUrl, treasuryKey, network: 'devnet', store })).toThrow(
    expect.objectContaining({ code: 'no_settlement_path' }),
  )
})
