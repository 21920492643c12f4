import { atomicUsdc, picodollars, toUsd } from '@farebox/money'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { explainQuote, priceImages, quoteImage } from '../../src/index.ts'
import { imageRequest, propertyRuns, propertyTimeout } from '../support/arbitraries.ts'
import { oracleImageCost, oracleImageMaximum } from '../support/rational-oracle.ts'

const settings = { numRuns: propertyRuns }

test(
  'quote and cost equal those computed with fractions, and cost is at most the amount paid',
  () => {
    const reported = fc.option(fc.bigInt({ min: 1n, max: 10n ** 13n }), { nil: undefined })
    const images = fc.integer({ min: 0, max: 5 })
    fc.assert(
      fc.property(imageRequest, images, reported, (request, made, cost) => {
        const quote = quoteImage(request)
        expect(quote.maximum).toBe(oracleImageMaximum(request))
        expect(quote.likely <= quote.maximum).toBe(true)
        const priced = priceImages(quote, {
          images: made,
          ...(cost !== undefined && { reportedCost: picodollars(cost) }),
        })
        expect(priced).toBe(
          oracleImageCost(request, {
            images: made,
            ...(cost !== undefined && { reportedCost: cost }),
          }),
        )
        expect(priced >= 0n && priced <= quote.maximum).toBe(true)
      }),
      settings,
    )
  },
  propertyTimeout,
)

test(
  'the maximum never falls when a quantity rises, and covers the price of every image',
  () => {
    fc.assert(
      fc.property(imageRequest, fc.integer({ min: 0, max: 30 }), (request, more) => {
        const { terms, width, height, steps, numberOfImages } = request
        const quote = quoteImage(request)
        const raised = [
          { ...request, width: Math.min(2048, width + 64 * more) },
          { ...request, height: Math.min(2048, height + 64 * more) },
          { ...request, numberOfImages: numberOfImages + more },
          ...(steps === undefined ? [] : [{ ...request, steps: steps + more }]),
          { ...request, terms: { ...terms, bufferBps: terms.bufferBps + more } },
          { ...request, terms: { ...terms, markupBps: terms.markupBps + more } },
        ]
        for (const greater of raised) {
          expect(quoteImage(greater).maximum >= quote.maximum).toBe(true)
        }
        const uncapped = { ...quote, maximum: atomicUsdc(10n ** 30n) }
        expect(priceImages(uncapped, { images: numberOfImages }) <= quote.maximum).toBe(true)
        const sum = explainQuote(quote).reduce((total, line) => total + line.amount, 0n)
        expect(sum).toBe(toUsd(quote.maximum))
        expect(quoteImage(structuredClone(request))).toEqual(quote)
      }),
      settings,
    )
  },
  propertyTimeout,
)
