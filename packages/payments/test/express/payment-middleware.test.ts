import { get, type IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { type Devnet, payerAccount, startDevnet } from '@farebox/devnet'
import { startFaultyFacilitator } from '@farebox/devnet/faults'
import { createMemoryStore } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import { type FacilitatorConfig, paymentMiddleware } from '@farebox/payments/express'
import express, { type Express, type Request } from 'express'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { paymentMiddleware as stockMiddleware } from 'x402-express'
import { createSigner, wrapFetchWithPayment as wrapFetchV1 } from 'x402-fetch'
import { expressShop, payingFetch } from './express-shop.ts'

let devnet: Devnet
let facilitatorUrl: string
const atTheEnd: (() => void | Promise<void>)[] = []
const { ends, listen } = expressShop()

beforeAll(async () => {
  devnet = await startDevnet()
  const { rpcUrl, relayer } = devnet
  const server = await startFaultyFacilitator({ rpcUrl, relayerKey: relayer.privateKey })
  atTheEnd.push(server.stop, devnet.stop)
  facilitatorUrl = server.url
})
afterAll(async () => {
  for (const end of atTheEnd) await end()
})

test('channels without the keys of the treasury and of a relayer are refused', () => {
  expect(() => app({ channels: {} })).toThrow(expect.objectContaining({ code: 'no_treasury_key' }))
  expect(() => app({ channels: {}, treasuryKey: devnet.treasury.privateKey })).toThrow(
    expect.objectContaining({ code: 'no_channel_relayer' }),
  )
})

/** What an app gives to x402-express, letter for letter. */
const routes = {
  'GET /weather/*': {
    price: '$0.001',
    network: 'base-sepolia',
    config: { description: 'The weather', mimeType: 'application/json', maxTimeoutSeconds: 120 },
  },
  '/forecast/[city]': '$1.001',
  'POST /fail': { price: 0.02, network: 'base-sepolia' },
} as const

function app(config: FacilitatorConfig = {}): Express {
  const { rpcUrl, treasury } = devnet
  const middleware = paymentMiddleware(treasury.address, routes, {
    url: facilitatorUrl,
    rpcUrl,
    ...config,
  })
  ends.push(() => middleware.close())
  return express()
    .use(middleware)
    .get('/', (_, response) => void response.send('free'))
    .get('/weather/:city', (request, response) => void response.json({ city: request.params.city }))
    .post('/fail', (_, response) => void response.status(502).json({ error: 'upstream' }))
}

const usdcOf = (payer: number): Promise<bigint> => devnet.usdcBalance(payerAccount(payer).address)

test('takes what x402-express takes and sells to clients of both protocols', async () => {
  expect(
    stockMiddleware(devnet.treasury.address, routes, { url: 'http://127.0.0.1:1' }),
  ).toBeInstanceOf(Function)
  const url = await listen(app())
  expect(await (await fetch(url)).text()).toBe('free')

  const second = await payingFetch(0)(`${url}/weather/lima`)
  expect(await second.json()).toEqual({ city: 'lima' })
  expect(second.headers.get('payment-response')).not.toBeNull()

  const signer = await createSigner('base-sepolia', payerAccount(1).privateKey)
  const first = await wrapFetchV1(fetch, signer)(`${url}/weather/oslo`)
  expect(await first.json()).toEqual({ city: 'oslo' })
  expect(first.headers.get('x-payment-response')).not.toBeNull()
  expect([await usdcOf(0), await usdcOf(1)]).toEqual([999_999_000n, 999_999_000n])
})

test('asks the price that was written, to the unit', async () => {
  const url = await listen(app())
  const ask = async (path: string, init?: RequestInit): Promise<unknown> => {
    const answer = await fetch(url + path, init)
    const { accepts } = (await answer.json()) as { accepts: [Record<string, unknown>] }
    return [answer.status, accepts[0]['maxAmountRequired'], accepts[0]['description']]
  }
  expect(await ask('/weather/rome')).toEqual([402, '1000', 'The weather'])
  expect(await ask('/forecast/rome')).toEqual([402, '1001000', ''])
  expect(await ask('/fail', { method: 'POST' })).toEqual([402, '20000', ''])
})

test.each(['PAYMENT-SIGNATURE', 'X-PAYMENT'])('says why %s cannot be read', async (name) => {
  const url = await listen(app())
  const answer = await fetch(`${url}/weather/rome`, { headers: { [name]: '!!' } })
  expect(answer.status).toBe(402)
  expect(await answer.json()).toMatchObject({
    message: `The payment cannot be read (${name}: must be base64) and will not be used.`,
    accepts: [{ maxAmountRequired: '1000' }],
  })
})

test('gives a failed answer back, with the treasury’s key', async () => {
  const config = {
    treasuryKey: devnet.treasury.privateKey,
    store: createMemoryStore(),
    refundMinimum: atomicUsdc(1n),
    refundConfirmations: 1,
  }
  const url = await listen(app(config))
  const failed = await payingFetch(2)(`${url}/fail`, { method: 'POST' })
  expect([failed.status, await failed.json()]).toEqual([502, { error: 'upstream' }])
  const payment = failed.headers.get('x-payment-id')
  expect(payment).toMatch(/^pay_/)
  await expect.poll(() => usdcOf(2), { timeout: 60_000, interval: 200 }).toBe(1_000_000_000n)
})

test('owes it without that key, in the store', async () => {
  const store = createMemoryStore()
  const url = await listen(app({ store }))
  const failed = await payingFetch(3)(`${url}/fail`, { method: 'POST' })
  await failed.text()
  await expect
    .poll(async () => {
      const owed: unknown[] = []
      for await (const { payment } of store.exportPayments()) {
        owed.push([payment.status, payment.refund?.amount])
      }
      return owed
    })
    .toEqual([['failed', atomicUsdc(20_000n)]])
})

describe('an answer that ends early', () => {
  async function outcomes(store: ReturnType<typeof createMemoryStore>): Promise<unknown[]> {
    const booked: unknown[] = []
    for await (const { payment } of store.exportPayments()) {
      booked.push([payment.status, payment.refund?.amount])
    }
    return booked
  }

  /** A shop whose answer of hours is made by the generator. */
  async function hoursOf(
    make: () => AsyncGenerator<string>,
    signalFor: (request: Request) => AbortSignal = () => new AbortController().signal,
  ) {
    const store = createMemoryStore()
    const shop = app({ store })
    shop.get('/weather/:city/hours', (request, response) => {
      pipeline(make, response, { signal: signalFor(request) }).catch(() => undefined)
    })
    return { store, url: `${await listen(shop)}/weather/rome/hours` }
  }

  async function* endlessHours() {
    for (;;) {
      yield 'rain, '.repeat(10_000)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  test('is given back when the handler breaks it off', async () => {
    const { store, url } = await hoursOf(async function* () {
      yield 'rain, '
      throw new Error('The station has failed.')
    })
    const paid = payingFetch(4)(url)
    await expect(paid.then(async (answer) => await answer.text())).rejects.toThrow(
      /fetch|terminated/,
    )
    await expect.poll(() => outcomes(store)).toEqual([['failed', atomicUsdc(1_000n)]])
  })

  test('is given back when its handler throws after the first byte', async () => {
    const store = createMemoryStore()
    const shop = app({ store })
    shop.get('/weather/:city/hours', async (_, response) => {
      await new Promise((resolve) => response.write('rain, ', resolve))
      throw new Error('The station has failed.')
    })
    const answer = await payingFetch(4)(`${await listen(shop)}/weather/rome/hours`)
    await expect(answer.text()).rejects.toThrow('terminated')
    await expect.poll(() => outcomes(store)).toEqual([['failed', atomicUsdc(1_000n)]])
  })

  test('is paid for when its client reads nothing until a timeout', async () => {
    const { store, url } = await hoursOf(endlessHours, ({ socket }) => {
      socket.setTimeout(100)
      return new AbortController().signal
    })
    await payingFetch(4)(url)
    await expect.poll(() => outcomes(store)).toEqual([['completed', undefined]])
  })

  test('is paid for when its client leaves', async () => {
    const { store, url } = await hoursOf(endlessHours)
    const answer = await payingFetch(4)(url)
    await answer.body?.cancel()
    await expect.poll(() => outcomes(store)).toEqual([['completed', undefined]])
  })

  test.each(['aborted', 'close'])(
    'is paid for when its handler breaks it off because its client left: %s',
    async (event) => {
      const { store, url } = await hoursOf(endlessHours, (request) => {
        const gone = new AbortController()
        request.once(event, () => gone.abort())
        return gone.signal
      })
      const answer = await payingFetch(4)(url)
      await answer.body?.cancel()
      await expect.poll(() => outcomes(store)).toEqual([['completed', undefined]])
    },
  )
})

test('a client that leaves before its answer begins is refunded, and counts against its payer', async () => {
  const store = createMemoryStore()
  const asked = Promise.withResolvers<undefined>()
  const shop = app({ store }).get('/weather/:city/hours', () => asked.resolve(undefined))
  const faults = async () => {
    const subject = payerAccount(5).address.toLowerCase()
    const counted = await store.payerFaults({ subject, now: Date.now() })
    return counted.map(({ cause }) => cause)
  }
  const url = await listen(shop)
  expect((await payingFetch(5)(`${url}/fail`, { method: 'POST' })).status).toBe(502)
  const leaving = new AbortController()
  const left = payingFetch(5)(`${url}/weather/rome/hours`, { signal: leaving.signal })
  await asked.promise
  expect(await faults()).toEqual([])
  leaving.abort()
  await expect(left).rejects.toThrow('aborted')
  await expect.poll(faults).toEqual(['request_rejected'])
})

test('an answer of status 4xx counts against its payer, one of 5xx does not', async () => {
  const store = createMemoryStore()
  const shop = app({ store })
  shop.get('/weather/:city/:status', ({ params }, response) => {
    response.sendStatus(Number(params.status))
  })
  const url = `${await listen(shop)}/weather/rome`
  const faults = async () => {
    const subject = payerAccount(6).address.toLowerCase()
    return (await store.payerFaults({ subject, now: Date.now() })).map(({ cause }) => cause)
  }
  expect((await payingFetch(6)(`${url}/503`)).status).toBe(503)
  expect((await payingFetch(6)(`${url}/404`)).status).toBe(404)
  await expect.poll(faults).toEqual(['request_rejected'])
})

test('a paid answer is sent whole, although the client has it already, and a redirect is paid for', async () => {
  const store = createMemoryStore()
  const shop = app({ store })
  shop.get('/weather/:city/map', (_, response) => response.redirect('/map-of-rome.png'))
  const url = `${await listen(shop)}/weather/rome`
  const etag = (await payingFetch(8)(url)).headers.get('etag') ?? ''
  expect(etag).not.toBe('')
  // Without it, `fetch` adds `no-cache`, which other clients do not.
  const headers = { 'if-none-match': etag, 'cache-control': 'max-age=0' }
  const again = await payingFetch(8)(url, { headers })
  expect([again.status, await again.json()]).toEqual([200, { city: 'rome' }])
  expect((await payingFetch(8)(`${url}/map`, { redirect: 'manual' })).status).toBe(302)
  await expect.poll(() => usdcOf(8)).toBe(999_997_000n)
  const statuses: string[] = []
  for await (const { payment } of store.exportPayments()) statuses.push(payment.status)
  expect(statuses).toEqual(['completed', 'completed', 'completed'])
})

test('mounted twice on the way to a handler, it asks for one payment, and no cache keeps the answer', async () => {
  const { rpcUrl, treasury } = devnet
  const prices = { 'GET /weather/*': '$0.001' }
  const middleware = paymentMiddleware(treasury.address, prices, { url: facilitatorUrl, rpcUrl })
  ends.push(() => middleware.close())
  const shop = express().use(middleware).use('/weather', middleware)
  shop.get('/weather/:city', (_, response) => void response.send('rain'))
  const paid = await payingFetch(7)(`${await listen(shop)}/weather/rome`)
  expect([paid.status, await paid.text()]).toEqual([200, 'rain'])
  expect(paid.headers.get('cache-control')).toBe('private, no-store')
})

test.each(['/gate/../express/', '/./express/', '/%2e/express/', '/x/..%2Fexpress/'])(
  'a file that has a price is not free as %s',
  async (spelling) => {
    const { rpcUrl, treasury } = devnet
    const prices = { 'GET /express/*': '$0.001' }
    const middleware = paymentMiddleware(treasury.address, prices, { url: facilitatorUrl, rpcUrl })
    ends.push(() => middleware.close())
    const files = express.static(fileURLToPath(new URL('..', import.meta.url)))
    const url = await listen(express().use(middleware, files))
    const statusOf = async (path: string): Promise<number | undefined> => {
      const { hostname, port } = new URL(url)
      const asked = Promise.withResolvers<IncomingMessage>()
      get({ hostname, port, path }, asked.resolve).once('error', asked.reject)
      return (await asked.promise).resume().statusCode
    }
    expect(await statusOf('/gate/../support/pay.ts')).toBe(200)
    expect(await statusOf(`${spelling}sell.test.ts`)).toBe(402)
  },
)

test.each(['/api', '/api/weather'])(
  'asks the price of a whole path under %s too',
  async (mount) => {
    const { rpcUrl, treasury } = devnet
    const prices = { 'GET /api/weather/*': '$0.001' }
    const middleware = paymentMiddleware(treasury.address, prices, { url: facilitatorUrl, rpcUrl })
    ends.push(() => middleware.close())
    const shop = express().use(mount, middleware)
    shop.get('/api/weather/:city', (_, response) => void response.send('free'))
    expect((await fetch(`${await listen(shop)}/api/weather/rome`)).status).toBe(402)
  },
)

test('asks the longest of the patterns that match the whole path or the rest of it', async () => {
  const { rpcUrl, treasury } = devnet
  const prices = { '*': '$0.001', 'GET /api/weather/*': '$0.02' }
  const middleware = paymentMiddleware(treasury.address, prices, { url: facilitatorUrl, rpcUrl })
  ends.push(() => middleware.close())
  const url = `${await listen(express().use('/api', middleware))}/api/weather/rome`
  const { accepts } = (await (await fetch(url)).json()) as { accepts: readonly object[] }
  expect(accepts[0]).toMatchObject({ maxAmountRequired: '20000' })
})

test('shows browsers the page that was given, and other clients the terms', async () => {
  const { rpcUrl, treasury } = devnet
  const page = '<p>Please pay</p>'
  const middleware = paymentMiddleware(
    treasury.address,
    { '/page': { price: '$0.01', network: 'base-sepolia', config: { customPaywallHtml: page } } },
    { url: facilitatorUrl, rpcUrl },
  )
  ends.push(() => middleware.close())
  const url = `${await listen(express().use(middleware))}/page`
  const browser = { accept: 'text/html', 'user-agent': 'Mozilla/5.0' }
  expect(await (await fetch(url, { headers: browser })).text()).toBe(page)
  expect(await (await fetch(url)).json()).toMatchObject({ x402Version: 1 })
})

test.each([
  ['no path', { weather: '$0.01' }, 'invalid_route'],
  ['an unknown method', { 'GTE /a': '$0.01' }, 'invalid_route'],
  ['several methods', { 'GET,POST /a': '$0.01' }, 'invalid_route'],
  ['a third word', { 'GET /a b': '$0.01' }, 'invalid_route'],
  ['a query', { '/a?b=c': '$0.01' }, 'invalid_route'],
  ['a parameter of Express', { '/a/:b': '$0.01' }, 'invalid_route'],
  ['a wildcard of Express', { '/a/*b': '$0.01' }, 'invalid_route'],
  ['a price of zero', { '/a': '$0' }, 'invalid_price'],
  ['a price beyond 64 bits', { '/a': '$9223372036854.775808' }, 'invalid_price'],
  ['no route', {}, 'invalid_option'],
  ['no facilitator for base', { '/a': { price: '$1', network: 'base' } }, 'invalid_option'],
  ['another network', { '/a': { price: '$0.01', network: 'solana' } }, 'unsupported_network'],
  ['no price', { '/a': 'free' }, 'invalid_price'],
  ['too many decimals', { '/a': '$0.0000001' }, 'invalid_price'],
  ['an exponent', { '/a': 1e-7 }, 'invalid_price'],
  [
    'another token',
    {
      '/a': {
        price: { amount: '1', asset: { address: `0x${'1'.repeat(40)}`, decimals: 6 } },
        network: 'base',
      },
    },
    'invalid_price',
  ],
])('%s is said at the start', (_, wrong, code) => {
  expect(() => paymentMiddleware(devnet.treasury.address, wrong)).toThrow(
    expect.objectContaining({ code }),
  )
})
