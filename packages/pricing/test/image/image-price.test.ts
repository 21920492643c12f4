import { atomicUsdc, parseUsd } from '@farebox/money'
import { expect, test } from 'vitest'
import {
  costOfImagesByRule,
  explainQuote,
  type ImagePrice,
  listedImagePrice,
  PricingError,
  priceImages,
  quoteImage,
  type Terms,
} from '../../src/index.ts'

const bare: Terms = { bufferBps: 0, markupBps: 0, minimumCharge: atomicUsdc(0n) }
const square = (
  edge: number,
  price: string,
): { width: number; height: number; price: ReturnType<typeof parseUsd> } => ({
  width: edge,
  height: edge,
  price: parseUsd(price),
})

/** Z-Image-Turbo's three published points, at 8 steps. */
const turbo: ImagePrice = {
  version: 'test',
  rule: {
    kind: 'compute',
    points: [square(512, '0.0013'), square(1024, '0.0032'), square(2048, '0.0141')],
    referenceSteps: 8,
    marginBps: 15_000,
  },
}

/** FLUX.2 [max]: $0.07 for the first megapixel, $0.03 for each further one started. */
const max: ImagePrice = {
  version: 'test',
  rule: {
    kind: 'megapixel',
    base: parseUsd('0.07'),
    includedPixels: 1_048_576,
    perExtraMegapixel: parseUsd('0.03'),
  },
}

const banana: ImagePrice = {
  version: 'test',
  rule: {
    kind: 'listed',
    points: [square(512, '0.04657'), square(1024, '0.06895'), square(2048, '0.10255')],
  },
}

const ask = (price: ImagePrice, width: number, height: number) =>
  ({ model: 'a/b', price, terms: bare, width, height, numberOfImages: 1 }) as const

test.each([
  // The published examples of FLUX.2 [max], and the largest size in the catalog.
  [max, 1024, 1024, 70_000n],
  [max, 1536, 1024, 100_000n],
  [max, 1920, 1080, 130_000n],
  [max, 2048, 2048, 190_000n],
  [max, 512, 512, 70_000n],
  // One pixel more begins a megapixel, and a whole megapixel begins no second one.
  [max, 1_048_576, 1, 70_000n],
  [max, 1_048_577, 1, 100_000n],
  [max, 2_048_576, 1, 100_000n],
  [max, 2_048_577, 1, 130_000n],
  [banana, 1024, 1024, 68_950n],
  // Halfway between two points, plus half for the margin.
  [turbo, 512, 512, 1_950n],
  [turbo, 128, 128, 1_950n],
  [turbo, 1024, 640, 3_375n],
  [turbo, 2048, 2048, 21_150n],
])('one image, %#', (...[price, width, height, expected]) => {
  expect(quoteImage(ask(price, width, height)).maximum).toBe(expected)
})

test.each([
  [8, 4_800n],
  [16, 9_600n],
  [4, 2_400n],
  [2, 1_200n],
  // Below 15% of the steps, start-up dominates the cost.
  [1, 720n],
])('%s steps of a price for 8', (steps, expected) => {
  expect(quoteImage({ ...ask(turbo, 1024, 1024), steps }).maximum).toBe(expected)
})

test('a size without a price is a fault', () => {
  expect(() => quoteImage(ask(banana, 1024, 512))).toThrow(PricingError)
  expect(() => quoteImage(ask(turbo, 4096, 2048))).toThrow(PricingError)
})

test('each image that was not made is refunded by its share', () => {
  const quote = quoteImage({
    ...ask(max, 1024, 1024),
    numberOfImages: 4,
    terms: { bufferBps: 1_000, markupBps: 0, minimumCharge: atomicUsdc(1_000n) },
  })
  expect(quote.maximum).toBe(308_000n)
  expect(priceImages(quote, { images: 4 })).toBe(280_000n)
  expect(priceImages(quote, { images: 3 })).toBe(210_000n)
  expect(priceImages(quote, { images: 0 })).toBe(0n)
  expect(priceImages(quote, { images: 9 })).toBe(280_000n)
})

test('an image that was made for a quote of none costs nothing', () => {
  const quote = quoteImage({ ...ask(max, 1024, 1024), numberOfImages: 0 })
  expect(priceImages(quote, { images: 1 })).toBe(0n)
})

test('a reported cost is charged, up to the share of the images made', () => {
  const quote = quoteImage({ ...ask(turbo, 1024, 1024), numberOfImages: 2 })
  expect(quote.maximum).toBe(9_600n)
  const reported = (images: number, usd: string): bigint =>
    priceImages(quote, { images, reportedCost: parseUsd(usd) })
  expect(reported(2, '0.0064')).toBe(6_400n)
  expect(reported(2, '0.5')).toBe(9_600n)
  expect(reported(1, '0.0064')).toBe(4_800n)
  expect(reported(2, '0')).toBe(6_400n)
  expect(reported(0, '0.0064')).toBe(0n)
})

test('a margin of the price replaces that of the terms', () => {
  const terms: Terms = { bufferBps: 0, markupBps: 500, minimumCharge: atomicUsdc(0n) }
  const price = { ...max, markupBps: 2_000 }
  const quote = quoteImage({ ...ask(price, 1024, 1024), terms })
  const general = { ...terms, markupBps: 2_000 }
  expect(quote).toEqual({ ...quoteImage({ ...ask(max, 1024, 1024), terms: general }), price })
  expect(priceImages(quote, { images: 1 })).toBe(quote.maximum)
})

test('extra charges are quoted, but charged only if reported', () => {
  const price: ImagePrice = {
    version: 'test',
    rule: { kind: 'flat', perImage: parseUsd('0.167') },
    besidesPerImage: parseUsd('0.045'),
  }
  const quote = quoteImage(ask(price, 1024, 1024))
  expect(quote.maximum).toBe(212_000n)
  expect(quote.likely).toBe(167_000n)
  expect(priceImages(quote, { images: 1 })).toBe(167_000n)
  expect(priceImages(quote, { images: 1, reportedCost: parseUsd('0.1701') })).toBe(170_100n)
})

test('the lines of an image quote', () => {
  const terms: Terms = { bufferBps: 1_000, markupBps: 0, minimumCharge: atomicUsdc(0n) }
  expect(explainQuote(quoteImage({ ...ask(turbo, 1024, 1024), numberOfImages: 2, terms }))).toEqual(
    [
      { what: 'images', quantity: 2, rate: 3_200_000_000n, amount: 6_400_000_000n },
      { what: 'allowance', basisPoints: 5_000, amount: 3_200_000_000n },
      { what: 'buffer', basisPoints: 1_000, amount: 960_000_000n },
    ],
  )
})

test("the operator's markup, the allowance and the extra charges of a quote are lines of their own", () => {
  const terms: Terms = { bufferBps: 0, markupBps: 1_000, minimumCharge: atomicUsdc(0n) }
  const price: ImagePrice = { ...turbo, besidesPerImage: parseUsd('0.0002') }
  expect(explainQuote(quoteImage({ ...ask(price, 1024, 1024), terms }))).toEqual([
    { what: 'images', quantity: 1, rate: 3_200_000_000n, amount: 3_200_000_000n },
    { what: 'allowance', basisPoints: 5_000, amount: 1_600_000_000n },
    { what: 'extras', amount: 200_000_000n },
    { what: 'markup', basisPoints: 1_000, amount: 500_000_000n },
  ])
})

test('a listed price is the charge, rounded up if it has more decimals', () => {
  expect(listedImagePrice(turbo, { width: 1024, height: 1024, steps: 8 }, 0)).toBe('0.0032')
  expect(listedImagePrice(turbo, { width: 1024, height: 1024, steps: 8 }, 1_000)).toBe('0.00352')
  expect(listedImagePrice(turbo, { width: 576, height: 512 }, 0)).toBe('0.00138')
})

test('what a provider bills by its list price has no markup, no minimum, and is rounded up once', () => {
  const terms = { bufferBps: 500, markupBps: 1_000, minimumCharge: atomicUsdc(1_000_000n) }
  const billed = (price: ImagePrice, edge: number, images: number): bigint =>
    costOfImagesByRule(quoteImage({ ...ask(price, edge, edge), numberOfImages: 4, terms }), images)
  expect([0, 1, 3].map((images) => billed(max, 1024, images))).toEqual([
    0n,
    70_000_000_000n,
    210_000_000_000n,
  ])
  const one = billed(turbo, 1000, 1)
  const four = billed(turbo, 1000, 4)
  expect(four).toBeLessThanOrEqual(4n * one)
  expect(four).toBeGreaterThan(4n * (one - 1n))
})
