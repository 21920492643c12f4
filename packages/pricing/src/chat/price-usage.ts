import { least, picodollars, type Usd, type Usdc } from '@farebox/money'
import { quantity, requireAmount } from '../terms/quantity.ts'
import { requireObject } from '../terms/require-object.ts'
import { chargedPrice } from '../terms/selling-price.ts'
import { whole } from '../terms/usd-fraction.ts'
import type { ChatPrice, TokenRates } from './chat-price.ts'
import type { ChatQuote } from './chat-quote.ts'
import { ratesAt } from './highest-rates.ts'
import { touchesPeak } from './peak.ts'
import { requireChatPrice, requireRates } from './require-chat-price.ts'
import type { Usage } from './usage.ts'

/**
 * The cost of a call by the quoted price: the provider's reported cost if there is one, otherwise its
 * usage at the tier, hour and cache discounts that apply, plus the markup. At least the minimum
 * charge, and never more than the quote's maximum.
 *
 * @throws {PricingError} `invalid_quantity` for a count that is not a non-negative safe integer, and
 * for a reported cost that is not a bigint.
 */
export function priceUsage(quote: ChatQuote, usage: Usage): Usdc {
  requireObject('quote', quote)
  requireObject('usage', usage)
  const upstream = whole(upstreamCost(quote.price, usage))
  return least(quote.maximum, chargedPrice(upstream, quote.terms))
}

/** What the provider bills for a usage, in picodollars, before markup. */
function upstreamCost(price: ChatPrice, usage: Usage): Usd {
  if (usage.reportedCost !== undefined) requireAmount('a reported cost', usage.reportedCost)
  // A reported zero means account credit or a missing figure, never a free call.
  if (usage.reportedCost !== undefined && usage.reportedCost > 0n) return usage.reportedCost
  return costByRates(price, usage)
}

/**
 * What a provider bills for a usage by its rates and the fee per request, in picodollars, before markup.
 * A cost that the provider reports is left aside: compare it with this.
 *
 * @throws {PricingError} `invalid_quantity` for a count that is not a non-negative safe integer, and
 * for a rate that is not a bigint of at least 0.
 */
export function costByRates(price: ChatPrice, usage: Usage): Usd {
  const rates = ratesOf(price, usage)
  return picodollars(
    inputCost(rates, usage) +
      rates.output * quantity('output', usage.outputTokens) +
      (price.perRequest ?? 0n),
  )
}

/** The rates of a call by its size and hour. */
export function ratesOf(price: ChatPrice, usage: Usage): TokenRates {
  requireChatPrice(price)
  requireObject('usage', usage)
  const { peak } = price
  const table = peak !== undefined && touchesPeak(peak, usage.served) ? peak : price
  const rates = ratesAt(table, usage.inputTokens)
  requireRates(rates)
  return rates
}

function inputCost(rates: TokenRates, usage: Usage): bigint {
  const { input, cacheRead = input, cacheWrite = input, cacheWriteHour = cacheWrite } = rates
  const { plain, read, written, writtenForHour } = inputParts(usage)
  return cacheWriteHour * writtenForHour + cacheWrite * written + cacheRead * read + input * plain
}

type InputPart = 'plain' | 'read' | 'written' | 'writtenForHour'

/** Cached tokens are part of the input; those reported in excess of the input are not billed. */
export function inputParts(usage: Usage): Readonly<Record<InputPart, bigint>> {
  const total = quantity('input', usage.inputTokens)
  const written = smaller(quantity('cache write', usage.cacheWriteTokens), total)
  const read = smaller(quantity('cache read', usage.cacheReadTokens), total - written)
  const hour = quantity('cache write', usage.cacheWriteHourTokens ?? usage.cacheWriteTokens)
  const writtenForHour = smaller(hour, written)
  return {
    plain: total - written - read,
    read,
    written: written - writtenForHour,
    writtenForHour,
  }
}

function smaller(a: bigint, b: bigint): bigint {
  if (a < b) return a
  return b
}
