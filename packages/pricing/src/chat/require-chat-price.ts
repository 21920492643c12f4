import { quantity, requireAmount } from '../terms/quantity.ts'
import { requireObject } from '../terms/require-object.ts'
import type { ChatPrice, TokenRates } from './chat-price.ts'

/** A quote, and a model of a catalog, have their price inside. */
export function requireChatPrice(price: ChatPrice): void {
  requireObject('price', price)
  requireObject('price.rates', price.rates)
  const { tiers } = price
  if (!Array.isArray(price.tiers)) throw new TypeError('price.tiers must be an array')
  // A tier without its threshold is one that no request reaches: the quote would be too low.
  for (const { fromInputTokens } of tiers) quantity('fromInputTokens', fromInputTokens)
}

export function requireRates(rates: TokenRates): void {
  requireAmount('an input rate', rates.input)
  requireAmount('an output rate', rates.output)
  for (const rate of [rates.cacheRead, rates.cacheWrite, rates.cacheWriteHour]) {
    if (rate !== undefined) requireAmount('a cache rate', rate)
  }
}
