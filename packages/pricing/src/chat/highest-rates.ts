import { greatest, type Usd } from '@farebox/money'
import { quantity } from '../terms/quantity.ts'
import type { ChatPrice, RateTier, TokenRates } from './chat-price.ts'
import { requireChatPrice, requireRates } from './require-chat-price.ts'

type PriceTable = Pick<ChatPrice, 'rates' | 'tiers'>

/** The rates of a request with exactly `inputTokens`: those of the highest tier it reaches. */
export function ratesAt({ rates, tiers }: PriceTable, inputTokens: number): TokenRates {
  return tierAt(tiers, inputTokens)?.rates ?? rates
}

/** The tier of a request with exactly `inputTokens`, if it reaches one. */
export function tierAt(tiers: readonly RateTier[], inputTokens: number): RateTier | undefined {
  return tiers.findLast((tier) => inputTokens >= tier.fromInputTokens)
}

/** The highest cost of one input token and one output token. */
export type HighestRates = {
  readonly input: Usd
  readonly output: Usd
}

/**
 * The highest rates that can apply to a request with at most `inputTokens`: over every tier it may
 * fall into, peak hours, and cache reads and writes. Each rate is taken separately, so the result
 * never falls when `inputTokens` rises, even if a higher tier is cheaper.
 *
 * @throws {PricingError} `invalid_quantity` if `inputTokens` is not a non-negative safe integer, and
 * for a rate that is not a bigint of at least 0.
 */
export function highestRates(price: ChatPrice, inputTokens: number): HighestRates {
  requireChatPrice(price)
  quantity('input', inputTokens)
  const tables: readonly PriceTable[] = price.peak === undefined ? [price] : [price, price.peak]
  const reachable = tables.flatMap(({ rates, tiers }) => [
    rates,
    ...tiers.filter((tier) => inputTokens >= tier.fromInputTokens).map((tier) => tier.rates),
  ])
  for (const rates of reachable) requireRates(rates)
  return reachable
    .map((rates) => ({ input: highestInput(rates), output: rates.output }))
    .reduce((worst, rates) => ({
      input: greatest(worst.input, rates.input),
      output: greatest(worst.output, rates.output),
    }))
}

function highestInput({
  input,
  cacheRead = input,
  cacheWrite = input,
  cacheWriteHour = cacheWrite,
}: TokenRates): Usd {
  return [cacheRead, cacheWrite, cacheWriteHour].reduce(greatest, input)
}
