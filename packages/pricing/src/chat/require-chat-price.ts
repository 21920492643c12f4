import { quantity, requirePrice } from '../terms/quantity.ts'
import { requireObject } from '../terms/require-object.ts'
import type { ChatPrice, TokenRates } from './chat-price.ts'

/** A quote, and a model of a catalog, have their price inside. */
export function requireChatPrice(price: ChatPrice): void {
  requireObject('price', price)
  requireTable('price', price)
  const { peak } = price
  if (peak === undefined) return
  requireObject('price.peak', peak)
  requireTable('price.peak', peak)
  requireArray('price.peak.windows', peak.windows)
}

function requireTable(name: string, { rates, tiers }: Pick<ChatPrice, 'rates' | 'tiers'>): void {
  requireObject(`${name}.rates`, rates)
  requireArray(`${name}.tiers`, tiers)
  let last = -1
  for (const tier of tiers) {
    requireObject(`a tier of ${name}.tiers`, tier)
    requireObject(`rates of ${name}.tiers`, tier.rates)
    // A tier without its threshold is one that no request reaches: the quote would be too low.
    quantity('fromInputTokens', tier.fromInputTokens)
    // The last tier that a request reaches gives its rates.
    if (tier.fromInputTokens <= last) {
      throw new TypeError(`${name}.tiers must be in ascending order of fromInputTokens`)
    }
    last = tier.fromInputTokens
  }
}

function requireArray(name: string, value: unknown): void {
  if (!Array.isArray(value)) throw new TypeError(`${name} must be an array`)
}

export function requireRates(rates: TokenRates): void {
  requirePrice('an input rate', rates.input)
  requirePrice('an output rate', rates.output)
  for (const rate of [rates.cacheRead, rates.cacheWrite, rates.cacheWriteHour]) {
    if (rate !== undefined) requirePrice('a cache rate', rate)
  }
}
