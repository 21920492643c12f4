import { atomicUsdc, toUsd } from '@farebox/money'
import {
  explainQuote,
  priceImages,
  priceUsage,
  quoteChat,
  quoteImage,
  type Terms,
} from '@farebox/pricing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { proofSize } from '../../../../scripts/testing/proof-size.ts'
import { type ChatModel, legalSizes, shippedCatalog } from '../../src/index.ts'

const terms: Terms = { bufferBps: 1_000, markupBps: 0, minimumCharge: atomicUsdc(1_000n) }
const endless = atomicUsdc(10n ** 30n)

/** Today, and after the last announced change. */
const catalogs = ['2026-11-20', '2027-06-01'].map((day) => shippedCatalog(Date.parse(day)))
const models = catalogs.flatMap((catalog) => catalog.chat)

const share = fc.double({ min: 0, max: 1, noNaN: true })
const part = (whole: number, of: number): number => Math.floor(whole * of)

/** A request within the model's limits. */
function requestOf(model: ChatModel, input: number, output: number, choices: number) {
  const maxOutputTokens = Math.max(1, part(Math.min(model.maxOutputTokens, 128_000), output))
  const inputTokens = part(model.contextLength - maxOutputTokens, input)
  const { id, price } = model
  return { model: id, price, terms, inputTokens, maxOutputTokens, choices }
}

test('with every shipped price the maximum covers any usage', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...models),
      fc.tuple(share, share, fc.integer({ min: 1, max: 8 })),
      fc.tuple(share, share, share, share),
      (model, [input, output, choices], [used, written, read, made]) => {
        const request = requestOf(model, input, output, choices)
        const quote = quoteChat(request)
        const inputTokens = part(request.inputTokens, used)
        const cacheWriteTokens = part(inputTokens, written)
        const allowance = model.price.outputAllowanceTokens ?? 0
        const usage = {
          inputTokens,
          cacheWriteTokens,
          cacheReadTokens: part(inputTokens - cacheWriteTokens, read),
          outputTokens: part((request.maxOutputTokens + allowance) * choices, made),
          reasoningTokens: 0,
          source: 'provider' as const,
        }
        const cost = priceUsage({ ...quote, maximum: endless }, usage)
        expect(cost >= 0n && cost <= quote.maximum).toBe(true)
        const more = { ...request, inputTokens: request.inputTokens + 1 + part(300_000, read) }
        expect(quoteChat(more).maximum >= quote.maximum).toBe(true)
        const lines = explainQuote(quote).reduce((sum, line) => sum + line.amount, 0n)
        expect(lines).toBe(toUsd(quote.maximum))
      },
    ),
    { numRuns: proofSize({ quick: 2_000, all: 10_000 }) },
  )
})

test('every model can be quoted at every tier boundary, and the tier is a cliff', () => {
  for (const model of models) {
    for (const { fromInputTokens, rates } of model.price.tiers) {
      const at = (inputTokens: number): bigint =>
        quoteChat({ ...requestOf(model, 0, 0, 1), inputTokens, terms: { ...terms, bufferBps: 0 } })
          .maximum
      expect(at(fromInputTokens) > at(fromInputTokens - 1), model.id).toBe(true)
      const input =
        rates.cacheWrite && rates.cacheWrite > rates.input ? rates.cacheWrite : rates.input
      expect(at(fromInputTokens) * 1_000_000n >= input * BigInt(fromInputTokens), model.id).toBe(
        true,
      )
    }
  }
})

test('with every image price, the maximum covers the charge for any number of images', () => {
  for (const { id, price, sizes, steps } of catalogs.flatMap((catalog) => catalog.images)) {
    const [first, last] = [legalSizes(sizes).at(0), legalSizes(sizes).at(-1)]
    for (const [width, height] of [first, last].filter((size) => size !== undefined)) {
      const request = { model: id, price, terms, width, height, numberOfImages: 4 }
      const quote = quoteImage({ ...request, ...(steps && { steps: steps.max }) })
      const costs = [0, 1, 2, 3, 4].map((images) => priceImages(quote, { images }))
      expect(costs[0], id).toBe(0n)
      expect(costs, id).toEqual(costs.toSorted((a, b) => Number(a - b)))
      expect((costs[4] ?? endless) <= quote.maximum, id).toBe(true)
    }
  }
})
