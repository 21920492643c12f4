import type { RateText, TierText } from '../src/chat/chat-record.ts'
import { higherRates } from '../src/price/higher-rates.ts'
import type { PiAiEntry } from './pi-ai.ts'

/** Rates and their tiers, as text. */
export type PriceTable = { readonly rates: RateText; readonly tiers: readonly TierText[] }

/** A pi-ai cost as a table. Zero means unknown, never free; a boundary belongs to the upper tier. */
export function tableOf({ cost }: PiAiEntry): PriceTable {
  return {
    rates: rateText(cost),
    tiers: (cost.tiers ?? [])
      .map(({ inputTokensAbove, ...rates }) => ({
        fromInputTokens: inputTokensAbove,
        rates: rateText(rates),
      }))
      .sort((a, b) => a.fromInputTokens - b.fromInputTokens),
  }
}

function rateText(cost: {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}): RateText {
  return {
    input: String(cost.input),
    output: String(cost.output),
    ...(cost.cacheRead > 0 && { cacheRead: String(cost.cacheRead) }),
    ...(cost.cacheWrite > 0 && { cacheWrite: String(cost.cacheWrite) }),
  }
}

/** The higher of two tables, rate by rate and tier by tier. */
export function higherTable(a: PriceTable, b: PriceTable): PriceTable {
  const starts = [...a.tiers, ...b.tiers].map((tier) => tier.fromInputTokens)
  return {
    rates: higherRates(a.rates, b.rates),
    tiers: [...new Set(starts)]
      .sort((x, y) => x - y)
      .map((fromInputTokens) => ({
        fromInputTokens,
        rates: higherRates(ratesFrom(a, fromInputTokens), ratesFrom(b, fromInputTokens)),
      })),
  }
}

function ratesFrom({ rates, tiers }: PriceTable, fromInputTokens: number): RateText {
  return tiers.findLast((tier) => tier.fromInputTokens <= fromInputTokens)?.rates ?? rates
}

/** A table without rates that a provider charges only on request. */
export function withoutCacheWrite({ rates, tiers }: PriceTable): PriceTable {
  return {
    rates: readOnly(rates),
    tiers: tiers.map((tier) => ({ ...tier, rates: readOnly(tier.rates) })),
  }
}

function readOnly({ cacheWrite: _written, ...rates }: RateText): RateText {
  return rates
}
