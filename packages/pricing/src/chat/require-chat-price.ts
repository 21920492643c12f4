import { quantity, requirePrice } from '../terms/quantity.ts'
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
  requirePrice('an input rate', rates.input)
  requirePrice('an output rate', rates.output)
  for (const rate of [rates.cacheRead, rates.cacheWrite, rates.cacheWriteHour]) {
    if (rate !== undefined) requirePrice('a cache rate', rate)
  }
}
