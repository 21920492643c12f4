import { atomicUsdc, picodollars, type Usd } from '@farebox/money'
import fc from 'fast-check'
import { proofSize } from '../../../../scripts/testing/proof-size.ts'
import type { ChatPrice, ImagePrice, RateTier, Terms, TokenRates, Usage } from '../../src/index.ts'

/** How often each property runs: as often as the suite says, a million times by `PROPERTY_RUNS`. */
export const propertyRuns = Number(
  process.env['PROPERTY_RUNS'] ?? proofSize({ quick: 2_000, all: 5_000 }),
)
export const propertyTimeout = Math.max(60_000, propertyRuns)

const rate: fc.Arbitrary<Usd> = fc
  .integer({ min: 1, max: 1_000_000_000 })
  .map((n) => picodollars(BigInt(n)))

const rates: fc.Arbitrary<TokenRates> = fc.record(
  { input: rate, output: rate, cacheRead: rate, cacheWrite: rate },
  { requiredKeys: ['input', 'output'] },
)

/** Tiers at any size and rate, including cheaper ones. */
const tiers: fc.Arbitrary<readonly RateTier[]> = fc
  .uniqueArray(fc.integer({ min: 1, max: 600_000 }), { maxLength: 3 })
  .chain((starts) => {
    const ascending = starts.toSorted((a, b) => a - b)
    return fc.tuple(
      ...ascending.map((fromInputTokens) => rates.map((all) => ({ fromInputTokens, rates: all }))),
    )
  })

const minutes = fc
  .tuple(fc.integer({ min: 0, max: 1439 }), fc.integer({ min: 1, max: 600 }))
  .map(([from, length]) => ({ fromMinute: from, toMinute: Math.min(1440, from + length) }))

const window = fc
  .tuple(fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 1 }), minutes)
  .map(([days, ofDay]) => ({ days, ...ofDay }))

const chatPrice: fc.Arbitrary<ChatPrice> = fc.record(
  {
    version: fc.constant('v'),
    rates,
    tiers,
    peak: fc.record({ rates, tiers, windows: fc.array(window, { maxLength: 2 }) }),
    perRequest: rate,
    outputAllowanceTokens: fc.integer({ min: 1, max: 10_000 }),
  },
  { requiredKeys: ['version', 'rates', 'tiers'] },
)

const terms: fc.Arbitrary<Terms> = fc.record({
  bufferBps: fc.integer({ min: 0, max: 5_000 }),
  markupBps: fc.integer({ min: 0, max: 5_000 }),
  minimumCharge: fc.integer({ min: 0, max: 20_000 }).map((n) => atomicUsdc(BigInt(n))),
})

export const chatRequest = fc.record({
  model: fc.constant('a/b'),
  price: chatPrice,
  terms,
  inputTokens: fc.integer({ min: 0, max: 1_050_000 }),
  likelyInputTokens: fc.integer({ min: 0, max: 1_050_000 }),
  maxOutputTokens: fc.integer({ min: 1, max: 128_000 }),
  choices: fc.integer({ min: 1, max: 8 }),
})

type ChatRequest = typeof chatRequest extends fc.Arbitrary<infer Request> ? Request : never

const span = fc
  .tuple(fc.integer({ min: 0, max: 1_900_000_000_000 }), fc.integer({ min: 0, max: 3_600_000 }))
  .map(([from, length]) => ({ from, to: from + length }))

/** Any usage that a provider can report for a request, without its own cost. */
export function usageOf(request: ChatRequest): fc.Arbitrary<Usage> {
  const { inputTokens, maxOutputTokens, choices, price } = request
  const maxOutput = (maxOutputTokens + (price.outputAllowanceTokens ?? 0)) * choices
  return fc
    .record(
      {
        input: fc.integer({ min: 0, max: inputTokens }),
        written: fc.double({ min: 0, max: 1, noNaN: true }),
        read: fc.double({ min: 0, max: 1, noNaN: true }),
        outputTokens: fc.integer({ min: 0, max: maxOutput }),
        served: span,
      },
      { requiredKeys: ['input', 'written', 'read', 'outputTokens'] },
    )
    .map(({ input, written, read, outputTokens, served }) => {
      const cacheWriteTokens = Math.floor(input * written)
      return {
        inputTokens: input,
        outputTokens,
        cacheWriteTokens,
        cacheReadTokens: Math.floor((input - cacheWriteTokens) * read),
        reasoningTokens: Math.floor(outputTokens / 2),
        ...(served && { served }),
        source: 'provider' as const,
      }
    })
}

const imagePriceAmount: fc.Arbitrary<Usd> = fc
  .integer({ min: 1, max: 500_000 })
  .map((micro) => picodollars(BigInt(micro) * 1_000_000n))

const edges = fc.integer({ min: 2, max: 32 }).map((n) => n * 64)

/** Points up to the largest size, in ascending order of pixels and price. */
const points = fc
  .tuple(
    fc.uniqueArray(fc.integer({ min: 2, max: 31 }), { maxLength: 3 }),
    fc.array(imagePriceAmount, { minLength: 4, maxLength: 4 }),
  )
  .map(([sizes, prices]) => {
    const ascending = [...sizes, 32].toSorted((a, b) => a - b)
    const rising = prices.toSorted((a, b) => (a < b ? -1 : 1))
    return ascending.flatMap((size, index) => {
      const price = rising[index]
      return price === undefined ? [] : [{ width: size * 64, height: size * 64, price }]
    })
  })

/** Any rule with a price for every size. */
const imagePrice: fc.Arbitrary<ImagePrice> = fc.record(
  {
    version: fc.constant('v'),
    rule: fc.oneof(
      fc.record({ kind: fc.constant('flat' as const), perImage: imagePriceAmount }),
      fc.record({
        kind: fc.constant('megapixel' as const),
        base: imagePriceAmount,
        includedPixels: fc.constantFrom(262_144, 1_048_576),
        perExtraMegapixel: imagePriceAmount,
      }),
      fc.record(
        {
          kind: fc.constant('compute' as const),
          points,
          referenceSteps: fc.integer({ min: 1, max: 50 }),
          marginBps: fc.integer({ min: 10_000, max: 40_000 }),
        },
        { requiredKeys: ['kind', 'points', 'marginBps'] },
      ),
    ),
    besidesPerImage: imagePriceAmount,
  },
  { requiredKeys: ['version', 'rule'] },
)

export const imageRequest = fc.record(
  {
    model: fc.constant('a/b'),
    price: imagePrice,
    terms,
    width: edges,
    height: edges,
    numberOfImages: fc.integer({ min: 1, max: 4 }),
    steps: fc.integer({ min: 1, max: 100 }),
  },
  { requiredKeys: ['model', 'price', 'terms', 'width', 'height', 'numberOfImages'] },
)
