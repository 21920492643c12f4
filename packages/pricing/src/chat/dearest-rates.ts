import { greatest, type Usd } from '@farebox/money'
import type { ChatPrice, RateTier, TokenRates } from './chat-price.ts'

type PriceTable = Pick<ChatPrice, 'rates' | 'tiers'>

/** The rates of a request of exactly `inputTokens`: the last tier that it reaches, all of it. */
export function ratesAt({ rates, tiers }: PriceTable, inputTokens: number): TokenRates {
  return tierAt(tiers, inputTokens)?.rates ?? rates
}

/** The tier of a request of exactly `inputTokens`, if it reaches one. */
export function tierAt(tiers: readonly RateTier[], inputTokens: number): RateTier | undefined {
  return tiers.findLast((tier) => inputTokens >= tier.fromInputTokens)
}

/** The worst that one token can cost, in and out. */
export type DearestRates = {
  readonly input: Usd
  readonly output: Usd
}

/**
 * The dearest rates that a request of at most `inputTokens` can meet: over every tier that it may
 * fall into, peak hours, and cache reads and writes. Taken rate by rate, so that it never falls
 * when `inputTokens` rises, even where a higher tier is cheaper.
 */
export function dearestRates(price: ChatPrice, inputTokens: number): DearestRates {
  const tables: readonly PriceTable[] = price.peak === undefined ? [price] : [price, price.peak]
  const reachable = tables.flatMap(({ rates, tiers }) => [
    rates,
    ...tiers.filter((tier) => inputTokens >= tier.fromInputTokens).map((tier) => tier.rates),
  ])
  return reachable
    .map((rates) => ({ input: dearestInput(rates), output: rates.output }))
    .reduce((worst, rates) => ({
      input: greatest(worst.input, rates.input),
      output: greatest(worst.output, rates.output),
    }))
}

function dearestInput({ input, cacheRead = input, cacheWrite = input }: TokenRates): Usd {
  return greatest(input, greatest(cacheRead, cacheWrite))
}
