import { atomicUsdc, parseUsd, picodollars, type Usd } from '@farebox/money'
import { expect, test } from 'vitest'
import {
  type ChatPrice,
  costByRates,
  highestRates,
  itemizeUsage,
  priceUsage,
  quoteChat,
  readUsageBody,
  withCacheWrites,
} from '../../src/index.ts'

const perMillion = (usd: string): Usd => picodollars(parseUsd(usd) / 1_000_000n)

/** Claude Sonnet: long requests cost more. */
const sonnet: ChatPrice = {
  version: 'test',
  rates: { input: perMillion('3'), output: perMillion('15'), cacheRead: perMillion('0.3') },
  tiers: [
    {
      fromInputTokens: 200_000,
      rates: { input: perMillion('6'), output: perMillion('22.5'), cacheRead: perMillion('0.6') },
    },
  ],
}

const fiveMinutes = withCacheWrites(sonnet, new Set(['5m']))
const both = withCacheWrites(sonnet, new Set(['5m', '1h']))

test('a request without marks costs what it costs', () => {
  expect(withCacheWrites(sonnet, new Set())).toBe(sonnet)
})

test.each([
  ['5 minutes', fiveMinutes, 1_000, '3.75'],
  ['5 minutes, long', fiveMinutes, 200_000, '7.5'],
  ['an hour', both, 1_000, '6'],
  ['an hour, long', both, 200_000, '12'],
])('a cache of %s is quoted at its write rate', (_, price, inputTokens, rate) => {
  expect(highestRates(price, inputTokens).input).toBe(perMillion(rate))
})

test('peak hours have write rates of their own', () => {
  const peak = {
    rates: { input: perMillion('4'), output: perMillion('20') },
    tiers: [],
    windows: [],
  }
  const price = withCacheWrites({ ...sonnet, peak }, new Set(['5m']))
  expect(price.peak?.rates.cacheWrite).toBe(perMillion('5'))
})

test('a rate that does not divide by four is rounded up, and a higher listed one is kept', () => {
  const odd = { ...sonnet, rates: { ...sonnet.rates, input: picodollars(5n) }, tiers: [] }
  expect(withCacheWrites(odd, new Set(['5m'])).rates.cacheWrite).toBe(7n)
  const listed = { ...odd, rates: { ...odd.rates, cacheWrite: picodollars(9n) } }
  expect(withCacheWrites(listed, new Set(['5m'])).rates.cacheWrite).toBe(9n)
})

/** A body as Anthropic documents it. */
const body = {
  input_tokens: 50,
  cache_read_input_tokens: 1_800,
  cache_creation_input_tokens: 248,
  output_tokens: 503,
  cache_creation: { ephemeral_5m_input_tokens: 148, ephemeral_1h_input_tokens: 100 },
}

function usageOf(given: object) {
  const usage = readUsageBody(given)
  if (usage === undefined) throw new Error('not read')
  return usage
}

test('a bill has each part at its own rate', () => {
  const lines = itemizeUsage(both, usageOf(body))
  expect(lines.map(({ what, tokens, amount }) => [what, tokens, amount])).toEqual([
    ['input', 50, 150_000_000n],
    ['cache read', 1_800, 540_000_000n],
    ['cache write', 148, 555_000_000n],
    ['hour cache write', 100, 600_000_000n],
    ['output', 503, 7_545_000_000n],
  ])
  const sum = lines.reduce((total, { amount }) => total + amount, 0n)
  expect(costByRates(both, usageOf(body))).toBe(sum)
})

test('cache writes without a reported lifetime cost those of an hour, if one was requested', () => {
  const { cache_creation: _, ...total } = body
  const cost = (price: ChatPrice) => costByRates(price, usageOf(total))
  expect(cost(fiveMinutes)).toBe(9_165_000_000n)
  expect(cost(both)).toBe(9_723_000_000n)
})

test('the quote covers a request that writes all of its input for an hour', () => {
  const terms = { bufferBps: 0, markupBps: 0, minimumCharge: atomicUsdc(0n) }
  const quote = quoteChat({
    model: 'claude',
    price: both,
    terms,
    inputTokens: 10_000,
    maxOutputTokens: 100,
    choices: 1,
  })
  const usage = usageOf({
    input_tokens: 0,
    cache_creation_input_tokens: 10_000,
    cache_creation: { ephemeral_1h_input_tokens: 10_000 },
    output_tokens: 100,
  })
  expect(quote.maximum).toBe(61_500n)
  expect(priceUsage(quote, usage)).toBe(61_500n)
})
