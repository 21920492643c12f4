import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RefreshEvent } from '@farebox/catalogs/refresh'
import { closeServer, listen } from '@farebox/http'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  CatalogSettingsError,
  type LiveCatalog,
  type LiveCatalogSettings,
  openCatalog,
} from '../../src/index.ts'

const model = 'openai/gpt-4.1-mini'
const shippedInput = 400_000n

/** The price that OpenRouter's list returns, in USD per token; `undefined` makes it return 500. */
let listed: Record<string, string> | undefined
let hold: Promise<void> | undefined
let server: Server
let url: string
let folder: string
let events: RefreshEvent[]
let open: LiveCatalog | undefined

beforeAll(async () => {
  server = createServer((_request, response) => {
    void (async () => {
      await hold
      if (listed === undefined) return response.writeHead(500).end()
      const data = Object.entries(listed).map(([id, prompt]) => ({
        id,
        context_length: 1_000_000,
        pricing: { prompt, completion: '0.0000016' },
      }))
      return response.end(JSON.stringify({ data }))
    })()
  })
  url = await listen(server, { host: '127.0.0.1', port: 0 })
})
afterAll(() => closeServer(server))

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-catalog-'))
  listed = { [model]: '0.0000005' }
  hold = undefined
  events = []
})
afterEach(async () => {
  await open?.stop()
  open = undefined
  await rm(folder, { recursive: true })
})

async function refreshing(settings: Partial<LiveCatalogSettings> = {}): Promise<LiveCatalog> {
  open = await openCatalog({
    settings: {
      CATALOG_REFRESH: 'on',
      CATALOG_REFRESH_MINUTES: 60,
      CATALOG_REFRESH_OPENROUTER_URL: `${url}/openrouter`,
      CATALOG_REFRESH_MODELS_DEV_URL: `${url}/not-models.dev`,
      DATA_DIR: folder,
      ...settings,
    },
    now: Date.now,
    onEvent: (event) => events.push(event),
  })
  return open
}

function inputRate({ current }: LiveCatalog): bigint | undefined {
  return current().findChatModel(model)?.price.rates.input
}

test('a refreshed price applies at once, and the last good prices survive a restart', async () => {
  const first = await refreshing()
  await expect.poll(() => inputRate(first)).toBe(500_000n)
  await first.stop()
  expect(await readdir(folder)).toEqual(['catalog-prices.json'])
  listed = undefined
  const second = await refreshing()
  await expect.poll(() => events.filter(({ type }) => type === 'feed_failed').length).toBe(3)
  expect(inputRate(second)).toBe(500_000n)
})

test('the previous price stays known for quotes that were made at it', async () => {
  const catalog = await refreshing()
  await expect.poll(() => inputRate(catalog)).toBe(500_000n)
  const recent = catalog.current().recentPrices(model, Date.now() - 60_000)
  expect(recent.map(({ rates }) => rates.input)).toEqual([500_000n, shippedInput])
})

test("the operator's prices take precedence over refreshed ones", async () => {
  const path = join(folder, 'overrides.json')
  const change = { [model]: { price: { input: '0.45', output: '2' } } }
  await writeFile(path, JSON.stringify({ chat: { change } }))
  const catalog = await refreshing({ CATALOG_OVERRIDES: path })
  await expect.poll(() => events.map(({ type }) => type)).toContain('price_changed')
  expect(inputRate(catalog)).toBe(450_000n)
})

test('a model of the custom provider keeps its price, even if another was stored for its id', async () => {
  const shipped = await refreshing()
  await expect.poll(() => inputRate(shipped)).toBe(500_000n)
  await shipped.stop()
  const path = join(folder, 'models.json')
  const price = { input: '0.1', output: '0.2' }
  const own = { id: model, contextLength: 8192, maxOutputTokens: 1024, price }
  await writeFile(path, JSON.stringify({ models: [own] }))
  listed = { [model]: '0.0000006' }
  const catalog = await refreshing({ CUSTOM_PROVIDER_MODELS: path })
  await expect.poll(() => events.filter(({ type }) => type === 'price_changed').length).toBe(2)
  expect(inputRate(catalog)).toBe(100_000n)
  expect(catalog.current().findChatModel(model)?.routes).toEqual([{ provider: 'custom', model }])
})

test('implausible, broken or unreadable prices change nothing and are reported', async () => {
  listed = { [model]: '0.0005' }
  await writeFile(join(folder, 'catalog-prices.json'), '{')
  const catalog = await refreshing()
  await expect
    .poll(() => new Set(events.map(({ type }) => type)))
    .toEqual(new Set(['store_failed', 'feed_failed', 'price_refused']))
  expect(inputRate(catalog)).toBe(shippedInput)
})

test('without a writable folder, prices are refreshed but not kept across restarts', async () => {
  await writeFile(join(folder, 'file'), '')
  const catalog = await refreshing({ DATA_DIR: join(folder, 'file') })
  await expect.poll(() => inputRate(catalog)).toBe(500_000n)
  await expect.poll(() => events.map(({ type }) => type)).toContain('store_failed')
})

test('without a folder, prices are kept in memory', async () => {
  const catalog = await refreshing({ DATA_DIR: undefined })
  await expect.poll(() => inputRate(catalog)).toBe(500_000n)
  expect(await readdir(folder)).toEqual([])
})

test('stop does not wait for a list that hangs', async () => {
  let release: () => void = () => undefined
  hold = new Promise((resolve) => {
    release = resolve
  })
  const catalog = await refreshing()
  await catalog.stop()
  release()
  expect(inputRate(catalog)).toBe(shippedInput)
  expect(events).toEqual([])
})

test('CATALOG_REFRESH=off reads nothing, not even stored prices', async () => {
  const before = await refreshing()
  await expect.poll(() => inputRate(before)).toBe(500_000n)
  await before.stop()
  expect(inputRate(await refreshing({ CATALOG_REFRESH: 'off' }))).toBe(shippedInput)
})

test('invalid files throw an error with a code', async () => {
  const opening = openCatalog({
    settings: {
      CATALOG_REFRESH: 'off',
      CATALOG_REFRESH_MINUTES: 60,
      CATALOG_OVERRIDES: join(folder, 'none.json'),
    },
    now: Date.now,
    onEvent: () => undefined,
  })
  await expect(opening).rejects.toThrow(CatalogSettingsError)
  await expect(opening).rejects.toMatchObject({ code: 'invalid_catalog' })
})

test('only prices are stored', async () => {
  const catalog = await refreshing()
  await expect.poll(() => inputRate(catalog)).toBe(500_000n)
  await catalog.stop()
  const stored: unknown = JSON.parse(await readFile(join(folder, 'catalog-prices.json'), 'utf8'))
  expect(stored).toMatchObject({ format: 1, updates: [{ id: model }] })
})
