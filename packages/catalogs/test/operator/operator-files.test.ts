import { expect, test } from 'vitest'
import {
  type Catalog,
  createCatalog,
  type Issue,
  parseCatalogOverrides,
  parseCustomProviderModels,
  parseCustomServers,
  routePrice,
  shippedCatalog,
  shippedData,
} from '../../src/index.ts'

const now = Date.parse('2026-11-20')

function catalogWith(json: unknown): Catalog {
  const parsed = parseCatalogOverrides(json)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues))
  return createCatalog({ ...shippedData, overrides: parsed.overrides, now })
}

function issuesOf(json: unknown): readonly Issue[] {
  const parsed = parseCatalogOverrides(json)
  return parsed.ok ? [] : parsed.issues
}

test('no overrides change nothing', () => {
  expect(catalogWith({}).version).toBe(shippedCatalog(now).version)
})

test('a model can be added without the fields that have defaults', () => {
  const own = {
    id: 'acme/one',
    contextLength: 8_192,
    maxOutputTokens: 1_024,
    price: { input: '0.5', output: 2 },
  }
  const model = catalogWith({ chat: { add: [own] } }).findChatModel('acme/one')
  expect(model).toMatchObject({
    maker: 'acme',
    name: 'acme/one',
    counter: 'generic',
    routes: [{ provider: 'custom', model: 'acme/one' }],
    price: { rates: { input: 500_000n, output: 2_000_000n } },
  })
})

test('a model named after a property of every object has no release date', () => {
  const own = { contextLength: 8_192, maxOutputTokens: 1_024, price: { input: '1', output: '2' } }
  const { chat } = catalogWith({ chat: { add: [{ ...own, id: 'constructor' }] } })
  expect(chat.at(-1)).not.toHaveProperty('released')
})

test('a price can be changed, and announced prices do not replace it', () => {
  const id = 'google/gemini-3.6-flash'
  const catalog = catalogWith({
    chat: { change: { [id]: { price: { input: '9', output: '10' } } } },
  })
  expect(catalog.findChatModel(id)?.price.rates).toEqual({ input: 9_000_000n, output: 10_000_000n })
  const later = catalog.at(Date.parse('2027-02-01'))
  expect(later.findChatModel(id)?.price.rates.input).toBe(9_000_000n)
  expect(later.recentPrices(id, 0)).toHaveLength(1)
  expect(catalog.findChatModel(id)?.name).toBe('Gemini 3.6 Flash')
})

test('a model can be hidden', () => {
  const catalog = catalogWith({
    chat: { hide: ['openai/gpt-5.5'] },
    images: { hide: ['openai/gpt-image-1'] },
  })
  expect(catalog.findChatModel('openai/gpt-5.5')).toBeUndefined()
  expect(catalog.findImageModel('openai/gpt-image-1')).toBeUndefined()
  expect(catalog.chat).toHaveLength(318)
  expect(catalog.images).toHaveLength(57)
})

test('a description follows the changed traits, unless it is changed too', () => {
  const id = 'openai/gpt-5.5'
  const traits = { contextLength: 9_000, maxOutputTokens: 4_000, reasoning: 'always' }
  const described = (change: object): string | undefined =>
    catalogWith({ chat: { change: { [id]: change } } }).findChatModel(id)?.description
  expect(described({ ...traits, inputModalities: ['text'] })).toBe(
    'GPT-5.5 by OpenAI: reads text; context of 9K tokens, answers up to 4K; reasons before it answers.',
  )
  expect(described({ ...traits, description: 'Ours.' })).toBe('Ours.')
})

test('an image price can be changed', () => {
  const price = { kind: 'flat', perImage: '0.5' }
  const catalog = catalogWith({ images: { change: { 'google/imagen-4': { price } } } })
  expect(catalog.findImageModel('google/imagen-4')?.price.rule).toEqual({
    kind: 'flat',
    perImage: 500_000_000_000n,
  })
})

test('a margin of a model replaces the one of the file, and belongs to its price', () => {
  const [own, other, image] = ['openai/gpt-4.1-mini', 'openai/gpt-4o', 'google/imagen-4']
  const catalog = catalogWith({
    markupBps: 500,
    chat: { change: { [own]: { markupBps: 0 } } },
    images: { change: { [image]: { markupBps: 2_000 } } },
  })
  expect(catalog.findChatModel(own)?.price.markupBps).toBe(0)
  expect(catalog.findChatModel(other)?.price.markupBps).toBe(500)
  expect(catalog.findImageModel(image)?.price.markupBps).toBe(2_000)
  const shipped = shippedCatalog(now)
  for (const id of [own, other]) {
    const { rates, version } = shipped.findChatModel(id)?.price ?? expect.fail(id)
    expect(catalog.findChatModel(id)?.price.rates).toEqual(rates)
    expect(catalog.findChatModel(id)?.price.version).not.toBe(version)
  }
})

test.each([
  ['', null],
  ['chat.hide.0', { chat: { hide: ['no/such'] } }],
  ['chat.change.no/such', { chat: { change: { 'no/such': { name: 'x' } } } }],
  ['chat.change.openai/gpt-5.5.price.input', priced({ input: '-1', output: '1' })],
  ['chat.change.openai/gpt-5.5.price.input', priced({ input: '0', output: '1' })],
  ['chat.change.openai/gpt-5.5.price.input', priced({ input: 1e-9, output: '1' })],
  ['chat.change.openai/gpt-5.5.price.output', priced({ input: '1', output: 'NaN' })],
  ['chat.change.openai/gpt-5.5.price', priced({ input: '1000000', output: '1' })],
  [
    'chat.openai/gpt-5.5.maxOutputTokens',
    { chat: { change: { 'openai/gpt-5.5': { contextLength: 10 } } } },
  ],
  [
    'chat.add.0.id',
    {
      chat: {
        add: [
          { id: 'a b', contextLength: 1, maxOutputTokens: 1, price: { input: '1', output: '1' } },
        ],
      },
    },
  ],
  ['images.hide.0', { images: { hide: ['no/such'] } }],
  [
    'images.change.google/imagen-4.price.perImage',
    { images: { change: { 'google/imagen-4': { price: { kind: 'flat', perImage: '0' } } } } },
  ],
])('a mistake is named at %s', (path, json) => {
  expect(issuesOf(json).map((issue) => issue.path)).toContain(path)
})

function priced(price: unknown): unknown {
  return { chat: { change: { 'openai/gpt-5.5': { price } } } }
}

test('hours across midnight are a mistake, since they would never apply', () => {
  const rates = { input: '2', output: '3' }
  const peak = (fromMinute: number, toMinute: number) => ({
    ...{ rates, tiers: [], windows: [{ days: [1], fromMinute, toMinute }] },
  })
  const issues = issuesOf(priced({ input: '1', output: '2', peak: peak(1_320, 120) }))
  expect(issues.map(({ path }) => path)).toEqual([
    'chat.change.openai/gpt-5.5.price.peak.windows.0.toMinute',
  ])
  expect(issuesOf(priced({ input: '1', output: '2', peak: peak(1_320, 1_440) }))).toEqual([])
})

const anySize = 'black-forest-labs/flux.1-schnell'
const half = [512, 512, '0.01']
const full = [2048, 2048, '0.05']

test.each([
  ['a list without a size', 'google/imagen-4', { kind: 'listed', points: [half] }, 'prices'],
  ['no point for large sizes', anySize, { kind: 'compute', points: [half] }, 'prices'],
  ['points out of order', anySize, { kind: 'compute', points: [full, half] }, 'price.points'],
])('an image price with %s is a mistake', (_, id, rule, path) => {
  const price = rule.kind === 'compute' ? { ...rule, marginBps: 15_000 } : rule
  const issues = issuesOf({ images: { change: { [id]: { price } } } })
  expect(issues).toHaveLength(1)
  expect(issues[0]?.path.endsWith(path)).toBe(true)
  expect(issuesOf({ images: { change: { [anySize]: { price: computed } } } })).toEqual([])
})

const computed = { kind: 'compute', points: [half, full], marginBps: 15_000 }

test('a model that is added twice is a mistake', () => {
  const price = { input: '1', output: '2' }
  const one = { id: 'acme/one', contextLength: 8_192, maxOutputTokens: 1_024, price }
  const twice = [one, { ...one, price: { input: '3', output: '4' } }]
  const message = 'must not list the same id twice'
  expect(issuesOf({ chat: { add: twice } })).toEqual([{ path: 'chat.add', message }])
  const [image] = shippedData.images
  expect(issuesOf({ images: { add: [image, image] } })).toEqual([{ path: 'images.add', message }])
  const server = { name: 'a', baseUrl: 'http://10.0.0.1/v1', models: [one, one] }
  const parsed = parseCustomServers({ servers: [server] })
  expect(parsed.ok ? [] : parsed.issues).toEqual([{ path: 'servers.0.models', message }])
})

test.each(['chat', 'images'])('a change of %s to __proto__ is a mistake', (kind) => {
  const change: unknown = JSON.parse('{ "__proto__": { "name": "x" } }')
  expect(issuesOf({ [kind]: { change } })).toEqual([
    { path: `${kind}.change.__proto__`, message: '__proto__ is not in the catalog' },
  ])
})

test('the default steps of an image model are within its limits', () => {
  const model = shippedData.images.find(({ id }) => id === anySize)
  const withSteps = (min: number, byDefault: number, max: number): readonly Issue[] =>
    issuesOf({ images: { add: [{ ...model, steps: { min, max, default: byDefault } }] } })
  expect(withSteps(4, 4, 4)).toEqual([])
  for (const issues of [withSteps(5, 4, 9), withSteps(4, 9, 8)]) {
    expect(issues.map(({ path }) => path)).toEqual(['images.add.0.steps'])
  }
})

test('the least size of an image model is not above its greatest', () => {
  const model = shippedData.images.find(({ id }) => id === anySize)
  const withSizes = (sizes: object): readonly Issue[] => {
    const least = { kind: 'free', minWidth: 256, minHeight: 256 }
    return issuesOf({ images: { add: [{ ...model, sizes: { ...least, ...sizes } }] } })
  }
  expect(withSizes({ maxWidth: 256, maxHeight: 256 })).toEqual([])
  for (const issues of [withSizes({ maxWidth: 192 }), withSizes({ maxHeight: 192 })]) {
    expect(issues.map(({ path }) => path)).toEqual(['images.add.0.sizes'])
  }
})

test('an unknown field is a mistake, and all mistakes are reported together', () => {
  const issues = issuesOf({ chta: {}, chat: { add: [{}], hide: [7] } })
  expect(issues.length).toBeGreaterThanOrEqual(4)
  expect(issues.some((issue) => issue.message.includes('chta'))).toBe(true)
})

const local = {
  models: [
    {
      id: 'local/llama',
      contextLength: 32_768,
      maxOutputTokens: 4_096,
      price: { input: 0.05, output: 0.08 },
      counter: 'llama3',
      routes: [{ provider: 'custom', model: 'llama3.3:70b' }],
    },
  ],
}

test('the models of a custom server are sold along with the snapshot', () => {
  const parsed = parseCustomProviderModels(local)
  expect(parsed.ok).toBe(true)
  if (!parsed.ok) return
  const data = { ...shippedData, chat: [...shippedData.chat, ...parsed.models] }
  const catalog = createCatalog({ ...data, now })
  expect(catalog.findChatModel('local/llama')).toMatchObject({
    counter: 'llama3',
    routes: [{ provider: 'custom', model: 'llama3.3:70b' }],
    price: { rates: { input: 50_000n, output: 80_000n } },
  })
  expect(parseCatalogOverrides({ chat: { hide: ['local/llama'] } }, data)).toMatchObject({
    ok: true,
  })
})

test.each([
  ['models', {}],
  ['models', { models: [local.models[0], local.models[0]] }],
  ['models.0.price', { models: [{ ...local.models[0], price: undefined }] }],
  ['models.0.maxOutputTokens', { models: [{ ...local.models[0], contextLength: 10 }] }],
  [
    'models.0.price.input',
    { models: [{ ...local.models[0], price: { input: 'free', output: '1' } }] },
  ],
])('a mistake of a custom server is named at %s', (path, json) => {
  const parsed = parseCustomProviderModels(json)
  expect(parsed.ok ? [] : parsed.issues.map((issue) => issue.path)).toContain(path)
})

test('servers of the operator have names, addresses and models of their own', () => {
  const price = { input: '1', output: '2' }
  const shared = { id: 'acme/one', contextLength: 8192, maxOutputTokens: 1024, price }
  const other = { ...shared, id: 'acme/two', routes: [{ provider: 'custom', model: 'two:7b' }] }
  const servers = [
    { name: 'a', baseUrl: 'http://10.0.0.1:8000/v1', profile: 'vllm', models: [shared] },
    { name: 'b', baseUrl: 'https://b.example/v1', apiKey: 'k', models: [shared, other] },
  ]
  const parsed = parseCustomServers({ servers })
  expect(parsed).toMatchObject({
    ok: true,
    servers: [
      { provider: 'custom:a', baseUrl: 'http://10.0.0.1:8000/v1', profile: 'vllm' },
      { provider: 'custom:b', apiKey: 'k', profile: 'custom' },
    ],
    models: [
      {
        id: 'acme/one',
        routes: [
          { provider: 'custom:a', model: 'acme/one' },
          { provider: 'custom:b', model: 'acme/one' },
        ],
      },
      { id: 'acme/two', routes: [{ provider: 'custom:b', model: 'two:7b' }] },
    ],
  })
  const costlier = { ...shared, price: { input: '1', output: '3' } }
  const issueOf = (list: readonly object[]) => {
    const result = parseCustomServers({ servers: list })
    return result.ok ? undefined : result.issues[0]
  }
  expect(issueOf([servers[0] ?? {}, { ...servers[1], models: [costlier] }])).toEqual({
    path: 'acme/one',
    message: 'must have the same limits and price at each of its servers',
  })
  expect(issueOf([servers[0] ?? {}, { ...servers[1], name: 'a' }])?.path).toBe('servers.1.name')
  for (const baseUrl of ['file:///etc', 'http://user:pw@10.0.0.1/v1', 'http://10.0.0.1/v1?a=b']) {
    expect(issueOf([{ ...servers[0], baseUrl }])?.path).toBe('servers.0.baseUrl')
  }
  expect(issueOf([{ ...servers[0], apiKey: 'k\n' }])?.path).toBe('servers.0.apiKey')
  expect(issueOf([{ ...servers[0], name: 'A b' }])?.path).toBe('servers.0.name')
})

test('a file of the operator must list a server and its models', () => {
  const message = 'must not be empty'
  const server = { name: 'a', baseUrl: 'http://10.0.0.1/v1', models: [] }
  expect(parseCustomProviderModels({ models: [] })).toEqual({
    ok: false,
    issues: [{ path: 'models', message }],
  })
  expect(parseCustomServers({ servers: [] })).toEqual({
    ok: false,
    issues: [{ path: 'servers', message }],
  })
  expect(parseCustomServers({ servers: [server] })).toEqual({
    ok: false,
    issues: [{ path: 'servers.0.models', message }],
  })
})

test('a route may cost less than its model, also at a server of the operator', () => {
  const id = 'z-ai/glm-4.6'
  const routes = [
    { provider: 'zai', model: 'glm-4.6' },
    { provider: 'deepinfra', model: 'zai-org/GLM-4.6', price: { input: 0.4, output: '1.7' } },
  ]
  const tiers = [{ fromInputTokens: 9_000, rates: { input: '0.7', output: '2.5' } }]
  const price = { input: '0.6', output: '2.2', cacheRead: '0.1', tiers }
  const model = catalogWith({ chat: { change: { [id]: { price, routes } } } }).findChatModel(id)
  const [maker, host] = model?.routes.map((route) => routePrice(model.price, route)) ?? []
  expect(maker).toBe(model?.price)
  expect(host).toMatchObject({ rates: { input: 400_000n, output: 1_700_000n }, tiers: [] })
  expect(host?.rates.cacheRead).toBeUndefined()
})

test('a rate finer than six decimals is rounded up', () => {
  const id = 'z-ai/glm-4.6'
  const price = { input: '0.6000001', output: '2.200000000001', cacheRead: '0.1' }
  const model = catalogWith({ chat: { change: { [id]: { price } } } }).findChatModel(id)
  expect(model?.price.rates).toEqual({
    input: 600_001n,
    output: 2_200_001n,
    cacheRead: 100_000n,
  })
})

test.each([
  { input: '0.7', output: '2' },
  { input: '0.5', output: '2.3' },
  { input: '0.5', output: '2', cacheWrite: '0.7' },
])('a route that costs more than its model is refused: %j', (own) => {
  const routes = [{ provider: 'custom', model: 'one', price: own }]
  const price = { input: '0.6', output: '2.2' }
  const added = { id: 'acme/one', contextLength: 8_192, maxOutputTokens: 1_024, price, routes }
  const message = expect.stringContaining('raise price to the highest of its routes')
  expect(issuesOf({ chat: { add: [added] } })).toEqual([{ path: 'chat.add.0.routes', message }])
  const id = 'z-ai/glm-4.6'
  expect(issuesOf({ chat: { change: { [id]: { price, routes } } } })).toEqual([
    { path: `chat.${id}.routes`, message },
  ])
})
