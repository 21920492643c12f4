import { least, picodollars, type Usd, type Usdc } from '@farebox/money'
import { quantity } from '../terms/quantity.ts'
import type { ChatPrice, TokenRates } from './chat-price.ts'
import type { ChatQuote } from './chat-quote.ts'
import { ratesAt } from './dearest-rates.ts'
import { touchesPeak } from './peak.ts'
import { chargedPrice } from './quote-chat.ts'
import type { Usage } from './usage.ts'

/**
 * What a call did cost, by the quoted price: the provider's own cost where it reports one, else
 * its usage at the tier, the hour and the cache discounts that apply; with the markup, without the
 * buffer, no less than the minimum charge and never more than the quote's maximum.
 *
 * @throws {PricingError} `invalid_quantity` for a count that is not a non-negative safe integer.
 */
export function priceUsage(quote: ChatQuote, usage: Usage): Usdc {
  return least(quote.maximum, chargedPrice(upstreamCost(quote.price, usage), quote.terms))
}

/** What the provider bills for a usage, in picodollars, before the markup. */
function upstreamCost(price: ChatPrice, usage: Usage): Usd {
  // A reported zero is an account's credit or a missing figure, never the price of the call.
  if (usage.reportedCost !== undefined && usage.reportedCost > 0n) return usage.reportedCost
  return costByRates(price, usage)
}

/** A usage at the price's own rates, whatever the provider reports: what a report is checked by. */
export function costByRates(price: ChatPrice, usage: Usage): Usd {
  const { peak } = price
  const table = peak !== undefined && touchesPeak(peak, usage.served) ? peak : price
  const rates = ratesAt(table, usage.inputTokens)
  return picodollars(
    inputCost(rates, usage) +
      rates.output * quantity('output', usage.outputTokens) +
      (price.perRequest ?? 0n),
  )
}

/** Cached tokens are part of the input; what a provider reports beyond the input is not billed. */
function inputCost(
  { input, cacheRead = input, cacheWrite = input }: TokenRates,
  usage: Usage,
): bigint {
  const total = quantity('input', usage.inputTokens)
  const written = smaller(quantity('cache write', usage.cacheWriteTokens), total)
  const read = smaller(quantity('cache read', usage.cacheReadTokens), total - written)
  return cacheWrite * written + cacheRead * read + input * (total - written - read)
}

function smaller(a: bigint, b: bigint): bigint {
  if (a < b) return a
  return b
}
