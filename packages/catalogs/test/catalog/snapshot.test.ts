import { readFileSync } from 'node:fs'
import { formatUsd, parseDecimal, parseUsd, parseUsdc, toUsd } from '@farebox/money'
import { blendedRate, listedRate, quoteChat, type Terms } from '@farebox/pricing'
import { counterForModel } from '@farebox/tokenizer'
import { expect, test } from 'vitest'
import { catalogPage, type PageFacts } from '../../scripts/catalog-page.ts'
import { readImageFacts } from '../../scripts/image-facts.ts'
import { digestsOf } from '../../scripts/price-digests.ts'
import { chatRecordSchema } from '../../src/chat/chat-record-schema.ts'
import { imageRecordSchema } from '../../src/image/image-record-schema.ts'
import {
  type ChatModel,
  defaultChatModels,
  defaultImageModel,
  listedImagePrices,
  type RateText,
  shippedCatalog,
  shippedData,
} from '../../src/index.ts'

const day = Date.parse('2026-11-20T12:00:00Z')
const catalog = shippedCatalog(day)
const terms: Terms = { bufferBps: 1_000, markupBps: 0, minimumCharge: parseUsdc('0.001') }

const data = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../data/${name}.json`, import.meta.url), 'utf8'))

test('there are 319 chat models of 38 makers and 58 image models', () => {
  expect(catalog.chat).toHaveLength(319)
  expect(new Set(catalog.chat.map((model) => model.maker)).size).toBe(38)
  expect(catalog.images).toHaveLength(58)
})

test('every chat model passes the schema', () => {
  for (const record of shippedData.chat) {
    expect(chatRecordSchema.safeParse(record), record.id).toMatchObject({ success: true })
  }
})

test('every image model passes the schema', () => {
  for (const record of shippedData.images) {
    expect(imageRecordSchema.safeParse(record), record.id).toMatchObject({ success: true })
  }
})

test('ids are unique, ignoring case', () => {
  for (const models of [catalog.chat, catalog.images]) {
    const ids = models.map((model) => model.id.toLowerCase())
    expect(new Set(ids).size).toBe(ids.length)
  }
})

const rateTables = (id: string): readonly RateText[] =>
  shippedData.chat
    .filter((record) => record.id === id)
    .flatMap(({ prices }) =>
      prices.flatMap(({ rates, tiers, peak }) => [
        rates,
        ...tiers.map((tier) => tier.rates),
        ...(peak ? [peak.rates, ...peak.tiers.map((tier) => tier.rates)] : []),
      ]),
    )

test('every rate is positive, exact in picodollars, and plausible', () => {
  for (const { id } of shippedData.chat) {
    for (const rates of rateTables(id)) {
      for (const rate of Object.values(rates)) {
        expect(rate, id).toMatch(/^\d+(\.\d{1,6})?$/)
        expect(Number(rate), id).toBeGreaterThan(0)
      }
      expect(Number(rates.input), id).toBeGreaterThanOrEqual(0.001)
      expect(Number(rates.input), id).toBeLessThanOrEqual(200)
      expect(Number(rates.output), id).toBeLessThanOrEqual(1_000)
      expect(Number(rates.cacheRead ?? rates.input), id).toBeLessThanOrEqual(Number(rates.input))
    }
  }
})

test('current rates equal their text, to the picodollar', () => {
  for (const model of catalog.chat) {
    const [text] = rateTables(model.id)
    expect(formatUsd(parseUsd(text?.input ?? ''))).toBe(text?.input)
    expect(model.price.rates.input * 1_000_000n, model.id).toBe(parseUsd(text?.input ?? ''))
    expect(model.price.rates.output * 1_000_000n, model.id).toBe(parseUsd(text?.output ?? ''))
  }
})

test('the blended price is the exact mean', () => {
  const scaled = (decimal: string): bigint => parseDecimal(decimal, 14)
  for (const { id, price } of catalog.chat) {
    const { input, output } = price.rates
    const sum = scaled(listedRate(input, 0)) + scaled(listedRate(output, 0))
    expect(scaled(blendedRate(price.rates, 0)) * 2n, id).toBe(sum)
  }
})

test('limits are consistent, and every model has a route', () => {
  for (const model of [...catalog.chat]) {
    expect(model.maxOutputTokens, model.id).toBeLessThanOrEqual(model.contextLength)
    expect(model.routes.length, model.id).toBeGreaterThan(0)
    for (const tier of model.price.tiers) {
      expect(tier.fromInputTokens, model.id).toBeLessThan(model.contextLength)
    }
  }
  for (const model of catalog.images) expect(model.routes.length, model.id).toBeGreaterThan(0)
})

test('the counter of every model is that of its id', () => {
  for (const { id, counter } of catalog.chat) expect(counter, id).toBe(counterForModel(id))
})

const model = (id: string): ChatModel => {
  const found = catalog.findChatModel(id)
  if (found === undefined) throw new Error(`${id} is not in the catalog`)
  return found
}

test('a boundary belongs to the upper tier', () => {
  expect(model('openai/gpt-5.5').price.tiers.map((tier) => tier.fromInputTokens)).toEqual([272_000])
  expect(model('x-ai/grok-4.7').price.tiers.map((tier) => tier.fromInputTokens)).toEqual([200_000])
  expect(model('qwen/qwen3.7-flash').price.tiers).toHaveLength(2)
})

test('a retired tier is removed along with its context length', () => {
  expect(model('anthropic/claude-sonnet-4.5')).toMatchObject({ contextLength: 200_000 })
  expect(model('anthropic/claude-sonnet-4.5').price.tiers).toEqual([])
})

test('storage fees and optional cache writes are not rates', () => {
  for (const { id, maker, price } of catalog.chat) {
    if (maker === 'google' || maker === 'anthropic')
      expect(price.rates.cacheWrite, id).toBeUndefined()
  }
  expect(model('openai/gpt-6-luna').price.rates.cacheWrite).toBe(125_000n)
})

test('an announced price applies from its date', () => {
  const rates = (now: string): unknown =>
    shippedCatalog(Date.parse(now)).findChatModel('google/gemini-3.6-flash')?.price.rates
  const before = { input: 750_000n, output: 3_750_000n, cacheRead: 75_000n }
  const after = { input: 1_500_000n, output: 7_500_000n, cacheRead: 150_000n }
  expect(rates('2026-12-31T23:59:59.999Z')).toEqual(before)
  expect(rates('2027-01-01T00:00:00.000Z')).toEqual(after)
})

test('moving aliases, conditional prices, audio output and interruptible capacity are not sold', () => {
  for (const id of [
    'openai/gpt-chat-latest',
    'meta/muse-spark-1.3-contributor',
    'openai/gpt-audio',
    'fireworks/accounts/fireworks/routers/kimi-k3-spot',
  ]) {
    expect(catalog.findChatModel(id), id).toBeUndefined()
  }
})

test('weights with an implausibly low listing are priced by the most expensive host', () => {
  expect(model('deepseek/deepseek-v4.1-flash').price.rates).toMatchObject({
    input: 300_000n,
    output: 1_200_000n,
  })
  expect(model('moonshotai/kimi-k3').price.rates).toMatchObject({
    input: 3_000_000n,
    output: 15_000_000n,
  })
})

test('output beyond the cap is covered if the maker bills it', () => {
  for (const { id, maker, price } of catalog.chat) {
    expect(price.outputAllowanceTokens, id).toBe(maker === 'x-ai' ? 4_096 : undefined)
  }
})

test('models that reject a temperature do not list it', () => {
  for (const id of [
    'openai/gpt-5.5',
    'openai/o3',
    'anthropic/claude-opus-4.7',
    'anthropic/claude-haiku-5.5',
  ]) {
    expect(model(id).parameters, id).not.toContain('temperature')
  }
  expect(model('anthropic/claude-opus-4.6')).toMatchObject({ maxTemperature: 1 })
})

test('only reasoning models support an effort', () => {
  for (const { id, reasoning, parameters } of catalog.chat) {
    if (reasoning === 'none') expect(parameters, id).not.toContain('reasoning_effort')
  }
  expect(model('openai/gpt-6-luna').parameters).toContain('reasoning_effort')
})

test.each([
  ['anthropic/claude-opus-5.5', true, true],
  ['anthropic/claude-opus-4.7', true, true],
  ['anthropic/claude-sonnet-4.6', true, true],
  ['anthropic/claude-opus-4.5', true, true],
  ['anthropic/claude-sonnet-4.5', true, false],
  ['anthropic/claude-haiku-4.5', true, false],
  ['anthropic/claude-opus-4.1', false, false],
  ['google/gemini-2.5-flash', true, true],
  ['google/gemini-3.5-flash', true, true],
])('%s: JSON schemas %s, effort %s', (id, schemas, effort) => {
  const { parameters } = model(id)
  expect(parameters.includes('response_format')).toBe(schemas)
  expect(parameters.includes('reasoning_effort')).toBe(effort)
})

test('every default is current, and an ordinary quote costs less than ten cents', () => {
  for (const id of defaultChatModels) {
    const { price, parameters } = model(id)
    const quote = quoteChat({
      model: id,
      price,
      terms,
      inputTokens: 10_000,
      maxOutputTokens: 4_096,
      choices: 1,
    })
    expect(toUsd(quote.maximum) < parseUsd('0.1'), id).toBe(true)
    expect(parameters, id).toContain('temperature')
  }
})

test('the default supports every request field and the longest output of the specification', () => {
  const { parameters, maxOutputTokens } = model(defaultChatModels[0])
  expect(parameters).toHaveLength(18)
  expect(maxOutputTokens).toBeGreaterThanOrEqual(128_000)
})

test('the default image model lists its three published prices', () => {
  const image = catalog.findImageModel(defaultImageModel)
  expect(image && listedImagePrices(image, 0)).toEqual({
    '512x512': '$0.0013',
    '1024x1024': '$0.0032',
    '2048x2048': '$0.0141',
  })
})

test('all models except the premium ones have steps', () => {
  for (const { id, architecture, steps } of catalog.images) {
    expect(steps === undefined, id).toBe(architecture === 'Premium')
    if (steps) expect(steps.min <= steps.default && steps.default <= steps.max, id).toBe(true)
  }
})

test('every image model lists a price at a common size', () => {
  for (const image of catalog.images) {
    const prices = Object.values(listedImagePrices(image, 0))
    expect(prices.length, image.id).toBeGreaterThan(0)
    for (const price of prices) expect(price, image.id).toMatch(/^\$0\.\d*[1-9]\d*$/)
  }
})

test('published prices have not changed', () => {
  expect(digestsOf(shippedData)).toEqual(data('price-digests'))
})

test('the snapshot contains the price history, and the page its totals', () => {
  const history = data('chat-prices') as Record<string, unknown>
  for (const { id, prices } of shippedData.chat) expect(prices, id).toEqual(history[id])
  const { makers } = data('chat-facts') as Pick<PageFacts, 'makers'>
  const sources = data('price-sources') as PageFacts['sources']
  const { records, statuses } = readImageFacts(
    new URL('../../data/image-models.json', import.meta.url),
  )
  expect(shippedData.images).toEqual(records)
  const page = readFileSync(new URL('../../CATALOG.md', import.meta.url), 'utf8')
  expect(catalogPage(shippedData, { sources, statuses, makers })).toBe(page)
})
