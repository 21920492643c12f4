import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  createRefresher,
  modelsDevFeed,
  openrouterFeed,
  type PriceStore,
  type RefreshEvent,
  type Refresher,
  type RefresherOptions,
} from '../../src/refresh.ts'
import { basePrice, listedRecord } from './listed-record.ts'

const hour = 3_600_000
const start = Date.parse('2026-11-20T12:00:00Z')

const twoWays = listedRecord('two/ways', {
  routes: [
    { provider: 'openrouter', model: 'two/ways' },
    { provider: 'anthropic', model: 'ways' },
  ],
})
const ceiling = listedRecord('at/ceiling', { prices: [{ ...basePrice, basis: 'ceiling' }] })
const announced = listedRecord('was/announced', {
  prices: [
    basePrice,
    {
      ...basePrice,
      effectiveFrom: '2026-11-15',
      announced: true,
      rates: { input: '2', output: '4' },
    },
  ],
})
const risesSoon = listedRecord('rises/soon', {
  prices: [
    basePrice,
    {
      ...basePrice,
      effectiveFrom: '2026-11-21',
      announced: true,
      rates: { input: '2', output: '4' },
    },
  ],
})
const tiered = listedRecord('with/tiers', {
  prices: [
    { ...basePrice, tiers: [{ fromInputTokens: 50_000, rates: { input: '1.5', output: '3' } }] },
  ],
})
const withPeak = listedRecord('with/peak', {
  prices: [
    {
      ...basePrice,
      peak: {
        rates: { input: '2', output: '4' },
        tiers: [{ fromInputTokens: 50_000, rates: { input: '2', output: '6' } }],
        windows: [],
      },
    },
  ],
})
const data = {
  chat: [listedRecord('one/way'), twoWays, ceiling, announced, risesSoon, tiered, withPeak],
  images: [],
}

/** The responses of the two public lists, served by the server below. */
let answers: Record<string, { readonly status: number; readonly body: string }>
let server: Server
let address: string
let folder: string
let now: number
let events: RefreshEvent[]

beforeAll(async () => {
  server = createServer((request, response) => {
    const { status, body } = answers[request.url ?? ''] ?? { status: 404, body: '' }
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  folder = mkdtempSync(join(tmpdir(), 'farebox-refresh-'))
})

afterAll(async () => {
  await new Promise((resolve) => server.close(resolve))
  await rm(folder, { recursive: true })
})

beforeEach(async () => {
  answers = {}
  now = start
  events = []
  await rm(join(folder, 'prices.json'), { force: true })
})

const file: PriceStore = {
  load: async () => {
    try {
      return await readFile(join(folder, 'prices.json'), 'utf8')
    } catch {
      return undefined
    }
  },
  save: (text) => writeFile(join(folder, 'prices.json'), text),
}

function refresher(options: Partial<RefresherOptions> = {}): Promise<Refresher> {
  return createRefresher({
    data,
    fetchJson: async (url) => {
      const response = await fetch(url)
      if (!response.ok) throw new Error(`${url} answered ${response.status}`)
      return response.json()
    },
    store: file,
    now: () => now,
    feeds: [
      { ...openrouterFeed, url: `${address}/openrouter` },
      { ...modelsDevFeed, url: `${address}/models.dev` },
    ],
    onEvent: (event) => events.push(event),
    ...options,
  })
}

/** OpenRouter lists USD per token, as text. */
function openrouterSays(prices: Record<string, object>): void {
  const models = Object.entries(prices).map(([id, pricing]) => ({
    id,
    context_length: 100_000,
    pricing,
  }))
  answers['/openrouter'] = { status: 200, body: JSON.stringify({ data: models }) }
}

/** models.dev lists USD per million, as numbers. */
function modelsDevSays(models: Record<string, object>): void {
  const listed = Object.fromEntries(
    Object.entries(models).map(([id, cost]) => [id, { cost, limit: { context: 100_000 } }]),
  )
  answers['/models.dev'] = { status: 200, body: JSON.stringify({ anthropic: { models: listed } }) }
}

function inputOf(live: Refresher, id: string): bigint | undefined {
  return live.catalog().findChatModel(id)?.price.rates.input
}

test('an unknown option is refused by name', async () => {
  await expect(refresher({ ...({ graceMS: 0 } as object) })).rejects.toMatchObject({
    code: 'invalid_catalog',
    message: expect.stringContaining('graceMS'),
  })
})

test('an increase applies at once, and the old price can still be found', async () => {
  const live = await refresher()
  openrouterSays({ 'one/way': { prompt: '0.0000015', completion: '0.000003' } })
  await live.refresh()
  expect(inputOf(live, 'one/way')).toBe(1_500_000n)
  const recent = live.catalog().recentPrices('one/way', now - 60_000)
  expect(recent.map((price) => price.rates.input)).toEqual([1_500_000n, 1_000_000n])
})

test('a decrease applies after its grace period, no matter how often it is read', async () => {
  const live = await refresher()
  openrouterSays({ 'one/way': { prompt: '0.0000005', completion: '0.000003' } })
  for (; now < start + 24 * hour; now += hour) {
    await live.refresh()
    expect(live.catalog().findChatModel('one/way')?.price.rates).toMatchObject({
      input: 1_000_000n,
      output: 3_000_000n,
    })
  }
  expect(inputOf(live, 'one/way')).toBe(500_000n)
  expect(events.filter((event) => event.type === 'price_changed')).toHaveLength(2)
})

test('a decrease that is withdrawn never applies', async () => {
  const live = await refresher()
  openrouterSays({ 'one/way': { prompt: '0.0000005', completion: '0.000002' } })
  await live.refresh()
  now += hour
  openrouterSays({ 'one/way': { prompt: '0.000001', completion: '0.000002' } })
  await live.refresh()
  now += 48 * hour
  expect(inputOf(live, 'one/way')).toBe(1_000_000n)
})

test.each([
  ['more than three times as much', '0.00000301'],
  ['less than a third', '0.0000003'],
])('%s is refused and reported', async (_what, prompt) => {
  const live = await refresher()
  openrouterSays({ 'one/way': { prompt, completion: '0.000002' } })
  modelsDevSays({})
  await live.refresh()
  now += 48 * hour
  expect(inputOf(live, 'one/way')).toBe(1_000_000n)
  expect(events).toMatchObject([{ type: 'price_refused', id: 'one/way' }])
})

test.each(['0', '-1', 'NaN', '1e-6', '', 'Infinity', '٣'])(
  'a price of %j is ignored',
  async (prompt) => {
    const live = await refresher()
    openrouterSays({ 'one/way': { prompt, completion: '0.000002' } })
    await live.refresh()
    expect(inputOf(live, 'one/way')).toBe(1_000_000n)
    expect(events).toMatchObject([{ type: 'feed_failed', feed: 'models.dev' }])
  },
)

test.each([0, -1, null, 1e-9, '1'])('a models.dev price of %j is ignored', async (input) => {
  const live = await refresher()
  modelsDevSays({ ways: { input, output: 3 } })
  await live.refresh()
  expect(inputOf(live, 'two/ways')).toBe(1_000_000n)
})

test('the highest price of all routes counts, and it decreases only if every route lists it', async () => {
  const live = await refresher()
  openrouterSays({ 'two/ways': { prompt: '0.0000008', completion: '0.000002' } })
  modelsDevSays({ ways: { input: 1.2, output: 2 } })
  await live.refresh()
  expect(inputOf(live, 'two/ways')).toBe(1_200_000n)
  answers['/models.dev'] = { status: 500, body: '' }
  await live.refresh()
  now += 48 * hour
  expect(inputOf(live, 'two/ways')).toBe(1_200_000n)
  modelsDevSays({ ways: { input: 0.9, output: 2 } })
  await live.refresh()
  now += 48 * hour
  expect(inputOf(live, 'two/ways')).toBe(900_000n)
})

test('ceilings and announced prices do not decrease, and tiers are at least the base rates', async () => {
  const live = await refresher()
  const half = { prompt: '0.0000008', completion: '0.0000016' }
  openrouterSays({
    'at/ceiling': half,
    'was/announced': half,
    'with/tiers': { prompt: '0.000002', completion: '0.000002' },
  })
  await live.refresh()
  now += 48 * hour
  expect(inputOf(live, 'at/ceiling')).toBe(1_000_000n)
  expect(inputOf(live, 'was/announced')).toBe(2_000_000n)
  expect(live.catalog().findChatModel('with/tiers')?.price).toMatchObject({
    rates: { input: 2_000_000n, output: 2_000_000n },
    tiers: [{ fromInputTokens: 50_000, rates: { input: 2_000_000n, output: 3_000_000n } }],
  })
})

test('a decrease that is read before an announced increase does not undo it', async () => {
  const live = await refresher()
  openrouterSays({ 'rises/soon': { prompt: '0.0000008', completion: '0.0000016' } })
  await live.refresh()
  now += 48 * hour
  expect(inputOf(live, 'rises/soon')).toBe(2_000_000n)
})

test('rates of peak hours are at least the base rates', async () => {
  const live = await refresher()
  openrouterSays({ 'with/peak': { prompt: '0.000003', completion: '0.000005' } })
  await live.refresh()
  expect(live.catalog().findChatModel('with/peak')?.price.peak).toMatchObject({
    rates: { input: 3_000_000n, output: 5_000_000n },
    tiers: [{ fromInputTokens: 50_000, rates: { input: 3_000_000n, output: 6_000_000n } }],
  })
})

test('a listing whose input rate is really its cache rate is ignored', async () => {
  const live = await refresher()
  const listing = { prompt: '0.0000004', input_cache_read: '0.00000038', completion: '0.00001' }
  openrouterSays({ 'one/way': { ...listing, completion: '0.000006' } })
  await live.refresh()
  expect(live.catalog().findChatModel('one/way')?.price.rates.output).toBe(6_000_000n)
  openrouterSays({ 'one/way': listing })
  await live.refresh()
  expect(live.catalog().findChatModel('one/way')?.price.rates.output).toBe(6_000_000n)
})

test('the rate of an optional cache write is not adopted', async () => {
  const live = await refresher()
  openrouterSays({
    'one/way': { prompt: '0.000001', completion: '0.000002', input_cache_write: '0.00000125' },
  })
  await live.refresh()
  expect(live.catalog().findChatModel('one/way')?.price.rates).toEqual({
    input: 1_000_000n,
    output: 2_000_000n,
  })
})

test.each([
  ['no server', undefined],
  ['no JSON', { status: 200, body: '<html>' }],
  ['another shape', { status: 200, body: '{"data":{}}' }],
  ['an error', { status: 503, body: '{}' }],
])('%s leaves the last good prices', async (_what, answer) => {
  const live = await refresher()
  openrouterSays({ 'one/way': { prompt: '0.0000015', completion: '0.000002' } })
  await live.refresh()
  events = []
  answers = answer ? { '/openrouter': answer, '/models.dev': answer } : {}
  await live.refresh()
  expect(inputOf(live, 'one/way')).toBe(1_500_000n)
  expect(events.map((event) => event.type)).toEqual(['feed_failed', 'feed_failed'])
})

test('the last good prices survive a restart, and overrides take precedence', async () => {
  openrouterSays({ 'one/way': { prompt: '0.0000015', completion: '0.000002' } })
  await (await refresher()).refresh()
  answers = {}
  now += hour
  expect(inputOf(await refresher(), 'one/way')).toBe(1_500_000n)
  const price = {
    ...basePrice,
    effectiveFrom: '1970-01-01',
    rates: { input: '7', output: '7' },
  }
  const overrides = {
    chat: { add: [], change: { 'one/way': { price } }, hide: [] },
    images: { add: [], change: {}, hide: [] },
  }
  expect(inputOf(await refresher({ overrides }), 'one/way')).toBe(7_000_000n)
})

test.each([
  '',
  '{',
  '{"format":2,"updates":[]}',
  '{"format":1,"updates":[{"id":"one/way","price":{}}]}',
])('a broken file, %j, falls back to the snapshot and is reported', async (text) => {
  writeFileSync(join(folder, 'prices.json'), text)
  expect(inputOf(await refresher(), 'one/way')).toBe(1_000_000n)
  expect(events).toMatchObject([{ type: 'store_failed' }])
})

test('a store that cannot write and an observer that throws do not affect prices', async () => {
  const live = await refresher({
    store: { ...file, save: () => Promise.reject(new Error('disk full')) },
    onEvent: (event) => {
      events.push(event)
      throw new Error('observer')
    },
  })
  openrouterSays({ 'one/way': { prompt: '0.0000015', completion: '0.000002' } })
  modelsDevSays({})
  await live.refresh()
  expect(inputOf(live, 'one/way')).toBe(1_500_000n)
  expect(events.map((event) => event.type)).toEqual(['price_changed', 'store_failed'])
})

test('outdated prices are dropped after a day, so that the file stays small', async () => {
  const live = await refresher()
  for (let round = 0; round < 60; round++) {
    const prompt = round % 2 === 0 ? '0.0000015' : '0.0000016'
    openrouterSays({ 'one/way': { prompt, completion: '0.000002' } })
    await live.refresh()
    now += hour
  }
  const { updates } = JSON.parse(readFileSync(join(folder, 'prices.json'), 'utf8')) as {
    updates: readonly unknown[]
  }
  // One an hour within the last day, and the one in force when it began.
  expect(updates).toHaveLength(25)
})
