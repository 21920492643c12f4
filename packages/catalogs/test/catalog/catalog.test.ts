import { expect, test } from 'vitest'
import { chatRecordSchema } from '../../src/chat/chat-record-schema.ts'
import {
  CatalogError,
  type ChatRecord,
  createCatalog,
  isProviderName,
  parseCatalogOverrides,
  providerNames,
  shippedCatalog,
  shippedData,
} from '../../src/index.ts'

const rise: ChatRecord = {
  id: 'maker/model',
  name: 'Model',
  description: 'A model.',
  maker: 'maker',
  contextLength: 1_000,
  maxOutputTokens: 100,
  inputModalities: ['text'],
  reasoning: 'none',
  accepts: 'open',
  counter: 'generic',
  routes: [{ provider: 'openrouter', model: 'maker/model' }],
  prices: [
    {
      effectiveFrom: '2026-01-01',
      basis: 'maker',
      source: 'a',
      rates: { input: '1', output: '1' },
      tiers: [],
    },
    {
      effectiveFrom: '2026-06-01',
      basis: 'maker',
      source: 'b',
      rates: { input: '2', output: '2' },
      tiers: [],
    },
    {
      effectiveFrom: '2026-06-01T00:05:00Z',
      basis: 'maker',
      source: 'c',
      rates: { input: '3', output: '3' },
      tiers: [],
    },
  ],
}

const at = (now: string): ReturnType<typeof createCatalog> =>
  createCatalog({ chat: [rise], images: [], now: Date.parse(now) })

const inputs = (now: string, since: string): readonly bigint[] =>
  at(now)
    .recentPrices('maker/model', Date.parse(since))
    .map((price) => price.rates.input)

test.each([
  ['2025-01-01T00:00:00Z', 1_000_000n],
  ['2026-05-31T23:59:59.999Z', 1_000_000n],
  ['2026-06-01T00:00:00Z', 2_000_000n],
  ['2026-06-01T00:05:00Z', 3_000_000n],
  ['2030-01-01T00:00:00Z', 3_000_000n],
])('at %s the input costs %s', (now, input) => {
  expect(at(now).findChatModel('maker/model')?.price.rates.input).toBe(input)
})

test.each([
  ['2026-06-01T00:06:00Z', '2026-06-01T00:05:30Z', [3_000_000n]],
  ['2026-06-01T00:06:00Z', '2026-06-01T00:04:00Z', [3_000_000n, 2_000_000n]],
  ['2026-06-01T00:06:00Z', '2026-05-31T23:59:00Z', [3_000_000n, 2_000_000n, 1_000_000n]],
  ['2026-06-01T00:00:30Z', '2026-05-31T23:59:30Z', [2_000_000n, 1_000_000n]],
  ['2026-03-01T00:00:00Z', '2026-02-01T00:00:00Z', [1_000_000n]],
])('at %s the prices since %s are still honored', (now, since, expected) => {
  expect(inputs(now, since)).toEqual(expected)
})

test('a quoted price can be found by its version', () => {
  const quoted = at('2026-06-01T00:00:00Z').findChatModel('maker/model')?.price
  const recent = at('2026-06-01T00:06:00Z').recentPrices(
    'maker/model',
    Date.parse('2026-06-01T00:04:00Z'),
  )
  expect(recent.find((price) => price.version === quoted?.version)).toEqual(quoted)
  expect(new Set(recent.map((price) => price.version)).size).toBe(recent.length)
})

test('a catalog is the same object until a price changes', () => {
  const catalog = at('2026-03-01T00:00:00Z')
  expect(catalog.at(Date.parse('2026-05-31T23:59:59.999Z'))).toBe(catalog)
  const next = catalog.at(new Date('2026-06-01T00:00:00Z'))
  expect(next.findChatModel('maker/model')?.price.rates.input).toBe(2_000_000n)
  expect(next.version).not.toBe(catalog.version)
  expect(catalog.at(Date.parse('2026-06-01T00:00:01Z'))).toBe(next)
  expect(next.at(Date.parse('2026-03-01T00:00:00Z')).version).toBe(catalog.version)
})

test('equal data has equal versions', () => {
  const now = new Date('2026-11-20')
  expect(shippedCatalog(now).version).toBe(shippedCatalog(Number(now)).version)
  expect(shippedCatalog(new Date('2027-01-01')).version).not.toBe(shippedCatalog(now).version)
})

test.each(['', 'unknown/model', '__proto__', 'constructor', 'OPENAI/GPT-5.5'])(
  '%j is not a model',
  (id) => {
    const catalog = shippedCatalog(Date.parse('2026-11-20'))
    expect(catalog.findChatModel(id)).toBeUndefined()
    expect(catalog.findImageModel(id)).toBeUndefined()
    expect(catalog.recentPrices(id, 0)).toEqual([])
    expect(catalog.recentImagePrices(id, 0)).toEqual([])
  },
)

test.each([Number.NaN, new Date('soon'), '2030-01-01', undefined, null])(
  '%s is not a moment: the oldest price is not taken for the current one',
  (moment) => {
    const catalog = at('2026-06-01T00:06:00Z')
    for (const find of [
      () => Reflect.apply(catalog.priceAt, null, ['maker/model', moment]),
      () => Reflect.apply(catalog.recentPrices, null, ['maker/model', moment]),
      () => Reflect.apply(catalog.at, null, [moment]),
      () => Reflect.apply(shippedCatalog, null, [moment]),
    ]) {
      expect(find).toThrow(/must be a valid Date or milliseconds since 1970/)
    }
  },
)

test('a record without a price or with an invalid date is a fault', () => {
  const broken =
    (prices: ChatRecord['prices']): (() => unknown) =>
    () =>
      createCatalog({ chat: [{ ...rise, prices }], images: [], now: 0 })
  expect(broken([])).toThrow(CatalogError)
  expect(broken(rise.prices.map((price) => ({ ...price, effectiveFrom: 'soon' })))).toThrow(
    /"soon" is not valid in a catalog: use an ISO 8601 date/,
  )
})

test.each(['2027-13-01', '2027-02-30', '2027-01-01T25:00Z', '1 January 2027'])(
  '%s is not a date of a price',
  (effectiveFrom) => {
    const prices = [...rise.prices, { ...rise.prices[0], effectiveFrom }]
    const parsed = chatRecordSchema.safeParse({ ...rise, prices })
    expect(parsed.error?.issues.map(({ path }) => path.join('.'))).toEqual([
      `prices.${rise.prices.length}.effectiveFrom`,
    ])
  },
)

test('prices out of order do not match the schema', () => {
  expect(chatRecordSchema.safeParse(rise)).toMatchObject({ success: true })
  const shuffled = { ...rise, prices: rise.prices.toReversed() }
  expect(chatRecordSchema.safeParse(shuffled)).toMatchObject({ success: false })
})

test('shipped routes begin with the maker, then hosts, and OpenRouter is last', () => {
  const { chat } = shippedData
  const providersOf = (id: string) =>
    chat.find((record) => record.id === id)?.routes.map(({ provider }) => provider)
  expect(providersOf('openai/gpt-4.1-mini')).toEqual(['openai', 'openrouter'])
  expect(providersOf('deepseek/deepseek-v4.1-flash')?.at(0)).toBe('deepseek')
  for (const { id, routes } of chat) {
    const place = routes.findIndex(({ provider }) => provider === 'openrouter')
    expect(place === -1 || place === routes.length - 1, id).toBe(true)
  }
})

test('a name of a provider is one of the list, or a server of the operator', () => {
  expect(providerNames.every(isProviderName)).toBe(true)
  expect(isProviderName('custom:my-vllm')).toBe(true)
  expect(['nobody', 'custom:', 'custom:A b', 'toString'].some(isProviderName)).toBe(false)
})

test('the price at a moment, and the history of all prices', () => {
  const catalog = at('2026-06-01T00:06:00Z')
  const inputAt = (moment: string): bigint | undefined =>
    catalog.priceAt('maker/model', new Date(moment))?.rates.input
  expect(inputAt('2020-01-01')).toBe(1_000_000n)
  expect(inputAt('2026-05-31T23:59:59Z')).toBe(1_000_000n)
  expect(inputAt('2026-06-01')).toBe(2_000_000n)
  expect(inputAt('2030-01-01')).toBe(3_000_000n)
  expect(catalog.priceAt('no/model', 0)).toBeUndefined()
  expect(catalog.priceHistory('maker/model').map(({ effectiveFrom }) => effectiveFrom)).toEqual([
    '2026-01-01',
    '2026-06-01',
    '2026-06-01T00:05:00Z',
  ])
  expect(catalog.priceHistory('no/model')).toEqual([])
})

test('the result of parseCatalogOverrides is refused in place of its overrides', () => {
  const overrides = parseCatalogOverrides({}) as never
  expect(() => createCatalog({ ...shippedData, overrides, now: 0 })).toThrow(
    '"overrides" is not valid in a catalog: pass those in the result of parseCatalogOverrides',
  )
})

test('a catalog without its data, or with a misspelled option, is refused by name', () => {
  const create = (options?: object) => () => createCatalog(options as never)
  expect(create()).toThrow(/pass chat and images, such as those of shippedData/)
  expect(create({ ...shippedData, now: 0, overides: {} })).toThrow(
    '"overides" is not valid in a catalog: createCatalog has no such option',
  )
})
