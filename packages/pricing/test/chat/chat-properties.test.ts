import { atomicUsdc, picodollars, sum, toUsd } from '@farebox/money'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { explainQuote, priceUsage, quoteChat } from '../../src/index.ts'
import { chatRequest, propertyRuns, propertyTimeout, usageOf } from '../support/arbitraries.ts'
import { oracleChatCost, oracleChatLikely, oracleChatMaximum } from '../support/rational-oracle.ts'

const settings = { numRuns: propertyRuns }
const requestAndUsage = chatRequest.chain((request) =>
  fc.tuple(fc.constant(request), usageOf(request)),
)

test(
  'quote and cost equal those computed with fractions',
  () => {
    fc.assert(
      fc.property(requestAndUsage, ([request, usage]) => {
        const quote = quoteChat(request)
        expect(quote.maximum).toBe(oracleChatMaximum(request))
        expect(quote.likely).toBe(oracleChatLikely(request))
        expect(priceUsage(quote, usage)).toBe(oracleChatCost(request, usage))
      }),
      settings,
    )
  },
  propertyTimeout,
)

test(
  'the maximum covers any usage a provider can report',
  () => {
    fc.assert(
      fc.property(requestAndUsage, ([request, usage]) => {
        const quote = quoteChat(request)
        const uncapped = { ...quote, maximum: atomicUsdc(10n ** 30n) }
        expect(priceUsage(uncapped, usage) <= quote.maximum).toBe(true)
      }),
      settings,
    )
  },
  propertyTimeout,
)

test(
  'whatever the provider reports, the cost is at most what was paid and at least the minimum charge',
  () => {
    const reported = fc.bigInt({ min: 0n, max: 10n ** 15n })
    fc.assert(
      fc.property(requestAndUsage, reported, fc.boolean(), ([request, usage], cost, reports) => {
        const quote = quoteChat(request)
        const said = reports ? { ...usage, reportedCost: picodollars(cost) } : usage
        const priced = priceUsage(quote, said)
        expect(priced).toBe(oracleChatCost(request, said))
        expect(priced >= 0n && priced <= quote.maximum).toBe(true)
        expect(priced >= request.terms.minimumCharge).toBe(true)
      }),
      settings,
    )
  },
  propertyTimeout,
)

test(
  'the maximum never falls when a quantity rises',
  () => {
    const rise = fc.integer({ min: 0, max: 300_000 })
    fc.assert(
      fc.property(chatRequest, rise, (request, more) => {
        const { terms } = request
        const base = quoteChat(request).maximum
        const raised = [
          { ...request, inputTokens: request.inputTokens + more },
          { ...request, maxOutputTokens: request.maxOutputTokens + more },
          { ...request, choices: request.choices + (more % 8) },
          { ...request, terms: { ...terms, bufferBps: terms.bufferBps + (more % 5_000) } },
          { ...request, terms: { ...terms, markupBps: terms.markupBps + (more % 5_000) } },
          {
            ...request,
            terms: { ...terms, minimumCharge: atomicUsdc(terms.minimumCharge + BigInt(more)) },
          },
        ]
        for (const greater of raised) expect(quoteChat(greater).maximum >= base).toBe(true)
      }),
      settings,
    )
  },
  propertyTimeout,
)

test(
  'the likely price is at most the maximum, and the lines add up to the maximum',
  () => {
    fc.assert(
      fc.property(chatRequest, (request) => {
        const quote = quoteChat(request)
        expect(quote.likely <= quote.maximum).toBe(true)
        const lines = explainQuote(quote).map(({ amount }) => amount)
        expect(sum(lines)).toBe(toUsd(quote.maximum))
      }),
      settings,
    )
  },
  propertyTimeout,
)

test('equal inputs give equal outputs', () => {
  fc.assert(
    fc.property(requestAndUsage, ([request, usage]) => {
      const [first, second] = [quoteChat(request), quoteChat(structuredClone(request))]
      expect(second).toEqual(first)
      expect(explainQuote(second)).toEqual(explainQuote(first))
      expect(priceUsage(second, structuredClone(usage))).toBe(priceUsage(first, usage))
    }),
    { numRuns: 1_000 },
  )
})
