import { picodollars, type Usd } from '@farebox/money'
import { quantity } from '../terms/quantity.ts'
import type { ChatPrice } from './chat-price.ts'
import { inputParts, ratesOf } from './price-usage.ts'
import type { Usage } from './usage.ts'

/** One item of what a call costs, in picodollars. */
export type CostLine = {
  readonly what: 'input' | 'cache read' | 'cache write' | 'hour cache write' | 'output' | 'request'
  readonly tokens: number
  /** The cost of one token. */
  readonly rate: Usd
  readonly amount: Usd
}

/**
 * What a provider bills for a usage at its list price, item by item. Lines of zero tokens are left out,
 * except the fee per request. The amounts add up to `costByRates`; markup and minimum charge are not in them.
 *
 * @throws {PricingError} `invalid_quantity` for a count that is not a non-negative safe integer.
 */
export function itemizeUsage(price: ChatPrice, usage: Usage): readonly CostLine[] {
  const rates = ratesOf(price, usage)
  const { input, output, cacheRead = input, cacheWrite = input } = rates
  const { plain, read, written, writtenForHour } = inputParts(usage)
  const isHourly = rates.cacheWriteHour !== undefined
  const line = (what: CostLine['what'], tokens: bigint, rate: Usd): CostLine => ({
    what,
    tokens: Number(tokens),
    rate,
    amount: picodollars(rate * tokens),
  })
  const perRequest = price.perRequest ?? picodollars(0n)
  return [
    line('input', plain, input),
    line('cache read', read, cacheRead),
    line('cache write', isHourly ? written : written + writtenForHour, cacheWrite),
    line('hour cache write', isHourly ? writtenForHour : 0n, rates.cacheWriteHour ?? cacheWrite),
    line('output', quantity('output', usage.outputTokens), output),
    { what: 'request' as const, tokens: 0, rate: perRequest, amount: perRequest },
  ].filter(({ amount, tokens }) => tokens > 0 || amount > 0n)
}
