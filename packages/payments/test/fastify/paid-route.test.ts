import { type Devnet, payerAccount, startDevnet } from '@farebox/devnet'
import { createMemoryStore } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import { openPaywall, type Paywall, paidRoute } from '@farebox/payments/fastify'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import Fastify, { type FastifyInstance } from 'fastify'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { network } from '../support/pay.ts'
import { watched } from '../support/watched-paywall.ts'

let devnet: Devnet
let paywall: Paywall
let app: FastifyInstance
let url: string
let made = 0n
let ended = false

beforeAll(async () => {
  devnet = await startDevnet()
  paywall = openPaywall({
    network: 'devnet',
    rpcUrl: devnet.rpcUrl,
    treasuryKey: devnet.treasury.privateKey,
    relayerKey: devnet.relayer.privateKey,
    refundMinimum: atomicUsdc(1n),
    store: createMemoryStore(),
  })
  paywall.start()
  app = Fastify({ forceCloseConnections: true }).post('/free', async ({ body }) => ({ got: body }))
  await app.register(shout())
  await app.register(endless())
  url = await app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(async () => {
  await app.close()
  await paywall.close()
  await devnet.stop()
})

function shout(): ReturnType<typeof paidRoute> {
  return paidRoute(paywall, {
    method: 'POST',
    url: '/shout',
    description: 'capitals',
    maxBodyBytes: 64,
    price: async (request) => atomicUsdc(1_000n * BigInt((await request.text()).length)),
    async serve(request) {
      const text = (await request.text()).toUpperCase()
      return {
        response: Response.json({ text, path: new URL(request.url).search }),
        cost: atomicUsdc(4_000n),
      }
    },
  })
}

function endless(): ReturnType<typeof paidRoute> {
  const body = (): ReadableStream<Uint8Array> =>
    new ReadableStream({
      pull(controller) {
        made += 1n
        controller.enqueue(new Uint8Array(1_000))
      },
      cancel() {
        ended = true
      },
    })
  return paidRoute(paywall, {
    method: 'GET',
    url: '/endless',
    description: 'zeros',
    price: () => atomicUsdc(1_000_000n),
    serve: async () => ({ response: new Response(body()), cost: () => atomicUsdc(made) }),
  })
}

function paying(payer: number): typeof fetch {
  const scheme = new ExactEvmScheme(privateKeyToAccount(payerAccount(payer).privateKey))
  return wrapFetchWithPayment(fetch, new x402Client().register(network.caip2, scheme))
}

const json = (body: string): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body,
})
const payerFunds = 1_000_000_000n
const spentBy = async (payer: number): Promise<bigint> =>
  payerFunds - (await devnet.usdcBalance(payerAccount(payer).address))

test('a route of Fastify is paid for its bytes as they came, and the rest is refunded', async () => {
  const asked = await fetch(`${url}/shout`, json('{"a": 1}'))
  expect([asked.status, await asked.json()]).toMatchObject([
    402,
    { accepts: [{ maxAmountRequired: '8000' }] },
  ])
  const paid = await paying(0)(`${url}/shout?loud`, json('{"a": 1}'))
  expect([paid.status, await paid.json()]).toEqual([200, { text: '{"A": 1}', path: '?loud' }])
  expect(paid.headers.get('payment-response')).toBeTruthy()
  await expect.poll(() => spentBy(0)).toBe(4_000n)
})

test('the other routes of the app still get their bodies parsed', async () => {
  expect(await (await fetch(`${url}/free`, json('{"a": 1}'))).json()).toEqual({ got: { a: 1 } })
})

test('a body above the limit is a 413', async () => {
  const refused = await fetch(`${url}/shout`, json('a'.repeat(65)))
  expect([refused.status, await refused.json()]).toMatchObject([
    413,
    { error: { code: 'body_too_large' } },
  ])
})

test('a client that disconnects ends the stream, and pays what it cost until then', async () => {
  const leaving = new AbortController()
  const paid = await paying(1)(`${url}/endless`, { signal: leaving.signal })
  await paid.body?.getReader().read()
  leaving.abort()
  await expect.poll(() => ended).toBe(true)
  await expect.poll(() => spentBy(1)).toBe(made)
})

test('payers are counted by the address that Fastify trusts', async () => {
  const { paywall: asked, seen } = watched(paywall)
  const headers = { 'x-forwarded-for': '198.51.100.9' }
  for (const trustProxy of [false, true]) {
    const proxied = Fastify({ trustProxy })
    await proxied.register(
      paidRoute(asked, {
        method: 'GET',
        url: '/',
        description: 'nothing',
        price: () => atomicUsdc(1_000n),
        serve: () => Promise.reject(new Error('never called')),
      }),
    )
    expect((await proxied.inject({ url: '/', headers })).statusCode).toBe(402)
    await proxied.close()
  }
  expect(seen).toEqual(['127.0.0.1', '198.51.100.9'])
})
