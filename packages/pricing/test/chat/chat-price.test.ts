import { atomicUsdc, formatUsdc, parseUsd, picodollars, type Usd } from '@farebox/money'
import { expect, test } from 'vitest'
import {
  type ChatPrice,
  explainQuote,
  highestRates,
  PricingError,
  priceUsage,
  quoteChat,
  type Terms,
  type Usage,
} from '../../src/index.ts'

/** USD per 1,000,000 tokens as picodollars per token. */
const perMillion = (usd: string): Usd => picodollars(parseUsd(usd) / 1_000_000n)

const bare: Terms = { bufferBps: 0, markupBps: 0, minimumCharge: atomicUsdc(0n) }
const usual: Terms = { bufferBps: 1_000, markupBps: 0, minimumCharge: atomicUsdc(1_000n) }

const flat = (input: string, output: string): ChatPrice => ({
  version: 'test',
  rates: { input: perMillion(input), output: perMillion(output) },
  tiers: [],
})

/** GPT-5.5: from 272,000 input tokens on, twice the input rate and 1.5 times the output rate. */
const tiered: ChatPrice = {
  version: 'test',
  rates: { input: perMillion('5'), output: perMillion('30'), cacheRead: perMillion('0.5') },
  tiers: [
    {
      fromInputTokens: 272_000,
      rates: { input: perMillion('10'), output: perMillion('45'), cacheRead: perMillion('1') },
    },
  ],
}

/** DeepSeek's peak hours: 01:00 to 04:00 and 06:00 to 10:00 UTC on weekdays. */
const peaked: ChatPrice = {
  ...flat('0.66', '1.98'),
  peak: {
    rates: { input: perMillion('1.32'), output: perMillion('3.96') },
    tiers: [],
    windows: [
      { days: [1, 2, 3, 4, 5], fromMinute: 60, toMinute: 240 },
      { days: [1, 2, 3, 4, 5], fromMinute: 360, toMinute: 600 },
    ],
  },
}

const usage = (fields: Partial<Usage>): Usage => ({
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  source: 'provider',
  ...fields,
})

function maximum(price: ChatPrice, asked: Partial<Parameters<typeof quoteChat>[0]>): string {
  const request = { model: 'a/b', inputTokens: 0, maxOutputTokens: 0, choices: 1, ...asked }
  return formatUsdc(quoteChat({ price, terms: bare, ...request }).maximum)
}

test.each([
  // Dollars computed by hand: tokens times rate per million, rounded up to six decimals.
  [flat('0.1', '0.5'), { inputTokens: 1_000, maxOutputTokens: 4_096 }, '0.002148'],
  [flat('0.14', '0.28'), { inputTokens: 50 }, '0.000007'],
  [flat('0.1', '0.4'), { maxOutputTokens: 5 }, '0.000002'],
  [flat('0.079605', '1'), { inputTokens: 1 }, '0.000001'],
  [flat('3', '15'), { inputTokens: 1_000_000, maxOutputTokens: 64_000 }, '3.960000'],
  [tiered, { inputTokens: 271_999 }, '1.359995'],
  [tiered, { inputTokens: 272_000 }, '2.720000'],
  [tiered, { inputTokens: 272_000, maxOutputTokens: 1_000 }, '2.765000'],
  [peaked, { inputTokens: 1_000_000, maxOutputTokens: 1_000_000 }, '5.280000'],
  [{ ...flat('1', '2'), perRequest: parseUsd('0.005') }, { inputTokens: 1_000 }, '0.006000'],
  [
    { ...flat('1', '2'), outputAllowanceTokens: 500 },
    { maxOutputTokens: 500, choices: 2 },
    '0.004000',
  ],
  [flat('1', '2'), { maxOutputTokens: 1_000, choices: 8 }, '0.016000'],
])('a maximum by hand, %#', (price, asked, expected) => {
  expect(maximum(price, asked)).toBe(expected)
})

test('the likely price of whole micro-dollars is exact', () => {
  const request = { model: 'a/b', terms: bare, inputTokens: 3, maxOutputTokens: 2, choices: 1 }
  expect(quoteChat({ ...request, price: flat('1', '2') }).likely).toBe(7n)
})

test('21,352 pairs of rates and tokens are exact, without floats', () => {
  const inexact: string[] = []
  for (let thousandths = 1; thousandths <= 157; thousandths++) {
    const price = flat(`0.${String(thousandths).padStart(3, '0')}`, '1')
    for (let tokens = 1; tokens <= 5_000; tokens += 37) {
      const quote = quoteChat({
        model: 'a/b',
        price,
        terms: bare,
        inputTokens: tokens,
        maxOutputTokens: 0,
        choices: 1,
      })
      const exact = (BigInt(thousandths * tokens) + 999n) / 1_000n
      if (quote.maximum !== exact) inexact.push(`${thousandths} × ${tokens}: ${quote.maximum}`)
    }
  }
  expect(inexact).toEqual([])
})

test('buffer and markup multiply, with one rounding', () => {
  const terms: Terms = { bufferBps: 1_000, markupBps: 500, minimumCharge: atomicUsdc(1n) }
  const request = { model: 'a/b', price: flat('1', '1'), terms, maxOutputTokens: 0, choices: 1 }
  expect(quoteChat({ ...request, inputTokens: 1_000_000 }).maximum).toBe(1_155_000n)
  expect(quoteChat({ ...request, inputTokens: 1 }).maximum).toBe(2n)
  expect(quoteChat({ ...request, inputTokens: 0 }).maximum).toBe(1n)
})

test('the highest of the input, cache read and cache write rates is quoted', () => {
  const price: ChatPrice = {
    version: 'test',
    rates: {
      input: perMillion('2'),
      output: perMillion('10'),
      cacheRead: perMillion('0.2'),
      cacheWrite: perMillion('2.5'),
    },
    tiers: [],
  }
  expect(maximum(price, { inputTokens: 1_000_000 })).toBe('2.500000')
})

test('a cheaper tier does not lower the quote', () => {
  const price: ChatPrice = {
    ...flat('2', '10'),
    tiers: [{ fromInputTokens: 1_000, rates: flat('1', '20').rates }],
  }
  expect(highestRates(price, 999)).toEqual({ input: 2_000_000n, output: 10_000_000n })
  expect(highestRates(price, 1_000)).toEqual({ input: 2_000_000n, output: 20_000_000n })
})

const quoted = (price: ChatPrice, terms = usual): ReturnType<typeof quoteChat> =>
  quoteChat({
    model: 'a/b',
    price,
    terms,
    inputTokens: 300_000,
    maxOutputTokens: 10_000,
    choices: 1,
  })

test.each([
  ['cached input at its discount', { inputTokens: 100_000, cacheReadTokens: 90_000 }, 95_000n],
  ['the tier of what was used', { inputTokens: 271_999, outputTokens: 1_000 }, 1_389_995n],
  ['the upper tier at the boundary', { inputTokens: 272_000, outputTokens: 1_000 }, 2_765_000n],
  [
    'cached tokens count for the tier',
    { inputTokens: 272_000, cacheReadTokens: 272_000 },
    272_000n,
  ],
  ['no less than the minimum', { inputTokens: 1 }, 1_000n],
  ['more cache than input is the input', { inputTokens: 1_000, cacheReadTokens: 9_000 }, 1_000n],
  [
    'what was written to a cache was not read from it',
    { inputTokens: 100_000, cacheWriteTokens: 60_000, cacheReadTokens: 80_000 },
    320_000n,
  ],
])('a usage costs %s', (_what, used, expected) => {
  expect(priceUsage(quoted(tiered), usage(used))).toBe(expected)
})

test('the cost never exceeds the amount paid', () => {
  const quote = quoted(tiered)
  expect(priceUsage(quote, usage({ inputTokens: 9_000_000 }))).toBe(quote.maximum)
})

test('a margin of the price replaces that of the terms, in the quote, the charge and its lines', () => {
  const terms: Terms = { bufferBps: 0, markupBps: 500, minimumCharge: atomicUsdc(1n) }
  const price = { ...flat('1', '1'), markupBps: 2_000 }
  const quote = quoted(price, terms)
  expect(quote).toEqual({ ...quoted(price, { ...terms, markupBps: 2_000 }), price })
  expect(quote.maximum).toBeGreaterThan(quoted(flat('1', '1'), terms).maximum)
  const used = usage({ inputTokens: 100_000, reportedCost: parseUsd('0.25') })
  expect(priceUsage(quote, used)).toBe(300_000n)
  const markups = explainQuote(quote).filter(({ what }) => what === 'markup')
  expect(markups.map(({ basisPoints }) => basisPoints)).toEqual([2_000])
})

test("the provider's reported cost is charged with markup, unless it is zero", () => {
  const used = usage({ inputTokens: 100_000 })
  const terms = { ...usual, markupBps: 500 }
  const reported = (usd: string): Usage => ({ ...used, reportedCost: parseUsd(usd) })
  expect(priceUsage(quoted(tiered, terms), reported('0.25'))).toBe(262_500n)
  expect(priceUsage(quoted(tiered, terms), reported('0'))).toBe(525_000n)
  expect(priceUsage(quoted(tiered, terms), reported('1000'))).toBe(quoted(tiered, terms).maximum)
})

test.each([
  ['Monday before the peak', '2026-11-16T00:59:59.999Z', '2026-11-16T00:59:59.999Z', 660_000n],
  ['Monday at its start', '2026-11-16T01:00:00Z', '2026-11-16T01:00:01Z', 1_320_000n],
  ['Monday into its start', '2026-11-16T00:59:00Z', '2026-11-16T01:00:00Z', 1_320_000n],
  ['Monday at its end', '2026-11-16T04:00:00Z', '2026-11-16T04:01:00Z', 660_000n],
  ['Monday from its last moment', '2026-11-16T03:59:59.999Z', '2026-11-16T05:00:00Z', 1_320_000n],
  ['Monday in the second window', '2026-11-16T09:59:00Z', '2026-11-16T09:59:30Z', 1_320_000n],
  ['Sunday', '2026-11-15T02:00:00Z', '2026-11-15T03:00:00Z', 660_000n],
  ['Friday night to Monday morning', '2026-11-13T23:00:00Z', '2026-11-16T00:30:00Z', 660_000n],
  ['a week', '2026-11-14T12:00:00Z', '2026-11-21T12:00:00Z', 1_320_000n],
  ['a clock set back over a peak', '2026-11-16T05:00:00Z', '2026-11-16T00:30:00Z', 1_320_000n],
  ['a moment that is not known', 'unknown', '2026-11-15T02:00:00Z', 1_320_000n],
])('peak hours: %s', (...[, from, to, expected]) => {
  const served = { from: Date.parse(from), to: Date.parse(to) }
  const price = quoteChat({
    model: 'a/b',
    price: peaked,
    terms: usual,
    inputTokens: 1_000_000,
    maxOutputTokens: 1,
    choices: 1,
  })
  expect(priceUsage(price, usage({ inputTokens: 1_000_000, served }))).toBe(expected)
})

test('peak rates are charged if the hours of the call or of the peak are unknown', () => {
  const used = usage({ inputTokens: 300_000 })
  expect(priceUsage(quoted(peaked), used)).toBe(396_000n)
  const always: ChatPrice = {
    ...peaked,
    peak: { rates: flat('1.32', '3.96').rates, tiers: [], windows: [] },
  }
  const weekend = {
    from: Date.parse('2026-11-15T02:00:00Z'),
    to: Date.parse('2026-11-15T02:00:01Z'),
  }
  expect(priceUsage(quoted(always), { ...used, served: weekend })).toBe(396_000n)
})

test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])(
  '%s tokens are a fault',
  (tokens) => {
    expect(() => maximum(tiered, { inputTokens: tokens })).toThrow(PricingError)
    expect(() => priceUsage(quoted(tiered), usage({ outputTokens: tokens }))).toThrow(PricingError)
  },
)

test('the lines of a quote, in order', () => {
  const quote = quoteChat({
    model: 'a/b',
    price: tiered,
    terms: { bufferBps: 1_000, markupBps: 250, minimumCharge: atomicUsdc(5_000_000n) },
    inputTokens: 272_000,
    maxOutputTokens: 1_000,
    choices: 2,
  })
  expect(explainQuote(quote)).toEqual([
    {
      what: 'input',
      quantity: 272_000,
      rate: 10_000_000n,
      tierFromInputTokens: 272_000,
      amount: 2_720_000_000_000n,
    },
    {
      what: 'output',
      quantity: 2_000,
      rate: 45_000_000n,
      tierFromInputTokens: 272_000,
      amount: 90_000_000_000n,
    },
    { what: 'markup', basisPoints: 250, amount: 70_250_000_000n },
    { what: 'buffer', basisPoints: 1_000, amount: 288_025_000_000n },
    { what: 'minimum', amount: 1_831_725_000_000n },
  ])
})
