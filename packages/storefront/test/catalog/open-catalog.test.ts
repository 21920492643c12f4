import { chmod, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closeServer, listen } from '@farebox/http'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  type CatalogEvent,
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
let events: CatalogEvent[]
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

test('prices are not refreshed unless the settings say so', async () => {
  const paths: (string | undefined)[] = []
  const note = (request: IncomingMessage): unknown => paths.push(request.url)
  server.on('request', note)
  const settings = {
    CATALOG_REFRESH_OPENROUTER_URL: `${url}/openrouter`,
    CATALOG_REFRESH_MODELS_DEV_URL: `${url}/models.dev`,
    CATALOG_REFRESH_MINUTES: 1,
  } as LiveCatalogSettings
  open = await openCatalog({ settings, now: Date.now, onEvent: () => undefined })
  await fetch(`${url}/later`)
  server.off('request', note)
  expect(paths).toEqual(['/later'])
})

test('a price list that fails is named without its query, which may hold a key', async () => {
  listed = undefined
  await refreshing({ CATALOG_REFRESH_OPENROUTER_URL: `${url}/openrouter?key=canary` })
  await expect
    .poll(() => events.map((event) => (event.type === 'feed_failed' ? String(event.error) : '')))
    .toContain(`FetchJsonError: ${url}/openrouter returned 500`)
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
  expect(stored).toEqual({ format: 1, updates: [{ id: model, price: expect.any(Object) }] })
})

/** A catalog of files alone; by default it reads them again on request only. */
async function following(
  files: Partial<LiveCatalogSettings>,
  filePollMs = 3_600_000,
): Promise<LiveCatalog> {
  open = await openCatalog({
    settings: { CATALOG_REFRESH: 'off', CATALOG_REFRESH_MINUTES: 60, ...files },
    now: Date.now,
    onEvent: (event) => events.push(event),
    filePollMs,
  })
  return open
}

async function writeOverrides(chat: object): Promise<string> {
  const path = join(folder, 'overrides.json')
  await writeFile(path, JSON.stringify({ chat }))
  return path
}

function priceOf(input: string): object {
  return { change: { [model]: { price: { input, output: '2' } } } }
}

test.each(['off', 'on'] as const)(
  'with CATALOG_REFRESH=%s, a changed file applies at once, and earlier prices stay known for quotes',
  async (CATALOG_REFRESH) => {
    listed = undefined
    const path = await writeOverrides(priceOf('0.45'))
    const live = await following({ CATALOG_OVERRIDES: path, CATALOG_REFRESH })
    await writeOverrides(priceOf('0.46'))
    live.reload()
    await writeOverrides({ change: { [model]: { markupBps: 500 } } })
    live.reload()
    expect(inputRate(live)).toBe(shippedInput)
    const recent = live.current().recentPrices(model, Date.now() - 60_000)
    expect(recent.map(({ rates, markupBps }) => [rates.input, markupBps])).toEqual([
      [shippedInput, 500],
      [450_000n, undefined],
      [460_000n, undefined],
    ])
    expect(live.current()).toBe(live.current())
    expect(live.current().recentPrices(model, Date.now() + 1)).toHaveLength(1)
  },
)

test('a file that is read again without a change adds no earlier prices', async () => {
  const path = await writeOverrides(priceOf('0.45'))
  const live = await following({ CATALOG_OVERRIDES: path })
  const before = live.current()
  live.reload()
  expect(live.current()).toBe(before)
  expect(events.map(({ type }) => type)).toEqual(['files_loaded'])
})

test('a file with mistakes changes nothing, and all are reported until it is fixed', async () => {
  const path = await writeOverrides(priceOf('0.45'))
  const live = await following({ CATALOG_OVERRIDES: path })
  await writeOverrides({ ...priceOf('-1'), hide: ['no/such-model'] })
  live.reload()
  expect(inputRate(live)).toBe(450_000n)
  const problems = [expect.stringContaining(`${path}: chat.change.${model}.price.input: `)]
  expect(live.problems()).toEqual(problems)
  await rm(path)
  live.reload()
  expect(inputRate(live)).toBe(450_000n)
  expect(live.problems()).toEqual([expect.stringContaining(`${path} cannot be read`)])
  await writeOverrides(priceOf('0.46'))
  live.reload()
  expect(inputRate(live)).toBe(460_000n)
  expect(live.problems()).toEqual([])
  expect(events.map(({ type }) => type)).toEqual(['files_refused', 'files_refused', 'files_loaded'])
})

test('servers cannot change without a restart, but their models and prices can', async () => {
  const path = join(folder, 'servers.json')
  const writeServer = async (baseUrl: string, input: string): Promise<void> => {
    const price = { input, output: '2' }
    const models = [{ id: 'acme/one', contextLength: 8192, maxOutputTokens: 1024, price }]
    await writeFile(path, JSON.stringify({ servers: [{ name: 'one', baseUrl, models }] }))
  }
  await writeServer('http://127.0.0.1:1/v1', '1')
  const live = await following({ CUSTOM_PROVIDERS: path })
  const rate = () => live.current().findChatModel('acme/one')?.price.rates.input
  await writeServer('http://127.0.0.1:2/v1', '3')
  live.reload()
  expect(live.problems()).toEqual([expect.stringContaining('Restart to use them')])
  expect(rate()).toBe(1_000_000n)
  await writeServer('http://127.0.0.1:1/v1', '3')
  live.reload()
  expect(live.problems()).toEqual([])
  expect(rate()).toBe(3_000_000n)
})

test('a route to a server that is not in the file of servers is refused', async () => {
  const price = { input: '1', output: '2' }
  const models = [{ id: 'acme/one', contextLength: 8192, maxOutputTokens: 1024, price }]
  const servers = [{ name: 'one', baseUrl: 'http://127.0.0.1:1/v1', models }]
  const CUSTOM_PROVIDERS = join(folder, 'servers.json')
  await writeFile(CUSTOM_PROVIDERS, JSON.stringify({ servers }))
  const routedTo = (provider: string): Promise<string> =>
    writeOverrides({ change: { [model]: { routes: [{ provider, model: 'mini' }] } } })
  const live = await following({
    CUSTOM_PROVIDERS,
    CATALOG_OVERRIDES: await routedTo('custom:one'),
  })
  await routedTo('custom:two')
  live.reload()
  expect(live.problems()).toEqual([
    `${model} has a route to custom:two, which is not in CUSTOM_PROVIDERS. Use one of custom:one.`,
  ])
})

test('a file that changes, or is replaced by another, is reloaded', async () => {
  const path = await writeOverrides(priceOf('0.45'))
  const live = await following({ CATALOG_OVERRIDES: path }, 5)
  await writeOverrides(priceOf('0.46'))
  await expect.poll(() => inputRate(live)).toBe(460_000n)
  const draft = join(folder, 'draft.json')
  await writeFile(draft, JSON.stringify({ chat: priceOf('0.47') }))
  await rename(draft, path)
  await expect.poll(() => inputRate(live)).toBe(470_000n)
})

test('a file whose permissions change is reloaded', async () => {
  const path = await writeOverrides(priceOf('0.45'))
  await following({ CATALOG_OVERRIDES: path }, 5)
  await chmod(path, 0o600)
  await expect.poll(() => events.map(({ type }) => type)).toEqual(['files_loaded'])
})
