import { atomicUsdc, picodollars } from '@farebox/money'
import { expect, test } from 'vitest'
import {
  blendedRate,
  type ChatQuoteRequest,
  costByRates,
  costOfImagesByRule,
  explainQuote,
  highestRates,
  type ImageQuoteRequest,
  itemizeUsage,
  listedImagePrice,
  listedRate,
  PricingError,
  priceImages,
  priceUsage,
  quoteChat,
  quoteImage,
  termsOf,
  type Usage,
  withCacheWrites,
} from '../src/index.ts'

const terms = { bufferBps: 100, markupBps: 500, minimumCharge: atomicUsdc(1_000n) }
const rates = { input: picodollars(1_000n), output: picodollars(2_000n) }
const chat: ChatQuoteRequest = {
  model: 'a-model',
  price: { version: '1', rates, tiers: [] },
  terms,
  inputTokens: 10,
  maxOutputTokens: 10,
  choices: 1,
}
const image: ImageQuoteRequest = {
  model: 'a-model',
  price: { version: '1', rule: { kind: 'flat', perImage: picodollars(1_000n) } },
  terms,
  width: 512,
  height: 512,
  numberOfImages: 2,
}
const usage: Usage = {
  inputTokens: 10,
  outputTokens: 5,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  source: 'provider',
}

const wrongAmounts: readonly (readonly [amount: unknown, shown: string])[] = [
  [-1n, '-1'],
  [5, 'type number'],
  ['5', 'type string'],
  [undefined, 'type undefined'],
]
const wrong: readonly unknown[] = [Number.NaN, -1, 1.5, 2 ** 53, '5', null, 5n]
const quantities: readonly (readonly [name: string, price: (value: unknown) => unknown])[] = [
  ['inputTokens', (inputTokens) => quote({ inputTokens })],
  ['likelyInputTokens', (likely) => quote({ likelyInputTokens: likely ?? -1 })],
  ['maxOutputTokens', (maxOutputTokens) => quote({ maxOutputTokens })],
  ['choices', (choices) => quote({ choices })],
  ['bufferBps', (bufferBps) => quote({ terms: { ...terms, bufferBps } })],
  ['markupBps', (markupBps) => quote({ terms: { ...terms, markupBps } })],
  ['markupBps of a price', (markupBps) => Reflect.apply(termsOf, null, [{ markupBps }, terms])],
  ['markupBps of a listed rate', (bps) => Reflect.apply(listedRate, null, [rates.input, bps])],
  ['markupBps of a blended rate', (bps) => Reflect.apply(blendedRate, null, [rates, bps])],
  ['width', (width) => picture({ width })],
  ['height', (height) => picture({ height })],
  ['steps', (steps) => picture({ steps })],
  ['marginBps', (marginBps) => picture({ price: computed(marginBps) })],
  ['numberOfImages', (numberOfImages) => picture({ numberOfImages })],
  ['images', (images) => Reflect.apply(priceImages, null, [quoteImage(image), { images }])],
]

test.each(quantities)('%s must be a whole number of at least 0', (_, price) => {
  for (const value of wrong) expect(() => price(value), String(value)).toThrow(PricingError)
})

test('a wrong input is named as the input', () => {
  expect(() => quote({ inputTokens: Number.NaN })).toThrow(/^input of NaN cannot be priced/)
})

test.each(['5', 5n, undefined])('an input of another type is named with its type', (tokens) => {
  expect(() => quote({ inputTokens: tokens })).toThrow(
    `input of type ${typeof tokens} cannot be priced`,
  )
})

test.each([undefined, '200000', Number.NaN])('a tier from %s tokens is refused', (tokens) => {
  const tiers = [{ fromInputTokens: tokens, rates }]
  expect(() => quote({ price: { ...chat.price, tiers } })).toThrow(/^fromInputTokens of /)
  expect(() => quote(peaking({ tiers }))).toThrow(/^fromInputTokens of /)
})

test.each([
  [9, 5],
  [5, 5],
  [1, 9, 5],
])('tiers from %j input tokens on are refused', (...starts) => {
  const tiers = starts.map((fromInputTokens) => ({ fromInputTokens, rates }))
  const message = 'tiers must be in ascending order of fromInputTokens'
  expect(() => quote({ price: { ...chat.price, tiers } })).toThrow(`price.${message}`)
  expect(() => quote(peaking({ tiers }))).toThrow(`price.peak.${message}`)
})

test.each([5, '5', null])('%s is refused as a minimum charge or a reported cost', (amount) => {
  expect(() => quote({ terms: { ...terms, minimumCharge: amount } })).toThrow(
    /^minimumCharge of type .* cannot be priced/,
  )
  const reported = { images: 1, reportedCost: amount }
  for (const call of [
    () => Reflect.apply(priceUsage, null, [quoteChat(chat), { ...usage, reportedCost: amount }]),
    () => Reflect.apply(priceImages, null, [quoteImage(image), reported]),
  ])
    expect(call).toThrow(/^a reported cost of type .* cannot be priced/)
})

test.each([5, 0.3, '5', null])('%s is refused as a rate or a fee', (amount) => {
  const { price } = chat
  expect(() => quote({ price: { ...price, rates: { ...rates, input: amount } } })).toThrow(
    /^an input rate of type .* cannot be priced/,
  )
  expect(() => quote({ price: { ...price, rates: { ...rates, output: amount } } })).toThrow(
    /^an output rate of type .* cannot be priced/,
  )
  if (amount === null) return
  expect(() => quote({ price: { ...price, perRequest: amount } })).toThrow(
    /^a fee per request of type .* cannot be priced/,
  )
})

test('a price below zero is refused', () => {
  const { price } = chat
  for (const name of ['input', 'output'] as const) {
    expect(() => quote({ price: { ...price, rates: { ...rates, [name]: -5n } } })).toThrow(
      new RegExp(`^an ${name} rate of -5 cannot be priced`),
    )
  }
  expect(() => quote({ price: { ...price, perRequest: -5n } })).toThrow(
    /^a fee per request of -5 cannot be priced/,
  )
  expect(() => quote({ terms: { ...terms, minimumCharge: -5n } })).toThrow(
    /^minimumCharge of -5 cannot be priced/,
  )
  const cached = { ...price, rates: { ...rates, cacheRead: -5n } }
  expect(() => Reflect.apply(costByRates, null, [cached, usage])).toThrow(
    /^a cache rate of -5 cannot be priced/,
  )
  expect(() => Reflect.apply(listedRate, null, [-5n, 0])).toThrow(/^a rate of -5 cannot/)
})

const chatQuote = quoteChat(chat)
const missing: readonly (readonly [name: string, call: () => unknown])[] = [
  ['request', () => Reflect.apply(quoteChat, null, [])],
  ['price', () => quote({ price: undefined })],
  ['price.rates', () => quote({ price: { version: '1', tiers: [] } })],
  ['price.tiers', () => quote({ price: { version: '1', rates } })],
  ['price.peak', () => quote({ price: { ...chat.price, peak: null } })],
  ['price.peak.rates', () => quote(peaking({ rates: undefined }))],
  ['price.peak.tiers', () => quote(peaking({ tiers: undefined }))],
  ['price.peak.windows', () => quote(peaking({ windows: undefined }))],
  ['a tier of price.tiers', () => quote({ price: { ...chat.price, tiers: [null] } })],
  ['rates of price.peak.tiers', () => quote(peaking({ tiers: [{ fromInputTokens: 1 }] }))],
  ['terms', () => quote({ terms: undefined })],
  ['quote', () => Reflect.apply(priceUsage, null, [])],
  ['usage', () => Reflect.apply(priceUsage, null, [chatQuote])],
  ['price', () => Reflect.apply(priceUsage, null, [chat.price, usage])],
  ['price.rates', () => Reflect.apply(itemizeUsage, null, [chatQuote, usage])],
  ['usage', () => Reflect.apply(itemizeUsage, null, [chat.price])],
  ['price', () => Reflect.apply(costByRates, null, [undefined, usage])],
  ['price', () => Reflect.apply(highestRates, null, [undefined, 5])],
  ['price.rates', () => Reflect.apply(withCacheWrites, null, [chatQuote, new Set()])],
  ['lifetimes', () => Reflect.apply(withCacheWrites, null, [chat.price, ['1h']])],
  ['quote', () => Reflect.apply(explainQuote, null, [])],
  ['quote.price', () => Reflect.apply(explainQuote, null, [chat.price])],
  ['rates', () => Reflect.apply(blendedRate, null, [undefined, 0])],
  ['request', () => Reflect.apply(quoteImage, null, [])],
  ['price.rule', () => picture({ price: chat.price })],
  ['made', () => Reflect.apply(priceImages, null, [quoteImage(image)])],
  ['quote', () => Reflect.apply(costOfImagesByRule, null, [undefined, 1])],
  ['quote.price', () => Reflect.apply(costOfImagesByRule, null, [{}, 1])],
  ['price', () => Reflect.apply(listedImagePrice, null, [undefined, image, 0])],
]

test.each(missing)('an error names %s if it is missing or something else', (name, call) => {
  expect(call).toThrow(TypeError)
  expect(call).toThrow(new RegExp(`^${name.replaceAll('.', '\\.')} must be an? `))
})

test('a rate that is a number is named as a rate', () => {
  const numbers = { input: 1, output: 2 }
  for (const call of [
    () => Reflect.apply(itemizeUsage, null, [{ ...chat.price, rates: numbers }, usage]),
    () => Reflect.apply(costByRates, null, [{ ...chat.price, rates: numbers }, usage]),
    () => Reflect.apply(blendedRate, null, [numbers, 0]),
  ])
    expect(call).toThrow(/^an input rate of type number cannot be priced/)
  const cached = { ...rates, cacheRead: 1 }
  expect(() =>
    Reflect.apply(itemizeUsage, null, [{ ...chat.price, rates: cached }, usage]),
  ).toThrow(/^a cache rate of type number cannot be priced/)
  expect(() => Reflect.apply(listedRate, null, [3, 0])).toThrow(/^a rate of type number/)
})

const amount = picodollars(1_000n)
const rules = [
  { kind: 'flat', perImage: amount },
  { kind: 'megapixel', base: amount, includedPixels: 1, perExtraMegapixel: amount },
]
const amounts = rules.flatMap((rule) =>
  Object.keys(rule)
    .filter((field) => !['kind', 'includedPixels'].includes(field))
    .map((field) => [rule.kind, field, rule] as const),
)

test.each(amounts)('a price of images by the rule "%s" needs %s', (...[, field, rule]) => {
  expect(() => picture({ price: { version: '1', rule } })).not.toThrow()
  for (const [wrongAmount, shown] of wrongAmounts) {
    const price = { version: '1', rule: { ...rule, [field]: wrongAmount } }
    expect(() => picture({ price })).toThrow(`a price of images of ${shown} cannot be priced`)
    expect(() => Reflect.apply(listedImagePrice, null, [price, image, 0])).toThrow(PricingError)
  }
})

test.each(['listed', 'compute'])('every point of the rule "%s" needs a price', (kind) => {
  const priced = { width: 512, height: 512, price: amount }
  for (const [wrongAmount, shown] of wrongAmounts) {
    const points = [priced, { width: 1024, height: 1024, price: wrongAmount }]
    const price = { version: '1', rule: { kind, points, marginBps: 10_000 } }
    expect(() => picture({ price })).toThrow(`a price of images of ${shown} cannot be priced`)
  }
})

test('what is billed besides the rule of images needs an amount', () => {
  for (const [besidesPerImage, shown] of wrongAmounts.slice(0, -1)) {
    const price = { ...image.price, besidesPerImage }
    expect(() => picture({ price })).toThrow(`besidesPerImage of ${shown} cannot be priced`)
  }
})

test.each([Number.NaN, undefined, -1])('the highest rates for %s tokens are refused', (tokens) => {
  expect(() => Reflect.apply(highestRates, null, [chat.price, tokens])).toThrow(PricingError)
})

function computed(marginBps: unknown): object {
  const point = { width: 512, height: 512, price: picodollars(1_000n) }
  return { version: '1', rule: { kind: 'compute', points: [point], marginBps } }
}

function peaking(changed: Readonly<Record<string, unknown>>): { readonly price: object } {
  return { price: { ...chat.price, peak: { rates, tiers: [], windows: [], ...changed } } }
}

function quote(changed: Readonly<Record<string, unknown>>): unknown {
  return Reflect.apply(quoteChat, null, [{ ...chat, ...changed }])
}

function picture(changed: Readonly<Record<string, unknown>>): unknown {
  return Reflect.apply(quoteImage, null, [{ ...image, ...changed }])
}
