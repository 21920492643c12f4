import { greatest, picodollars, type Usd } from '@farebox/money'
import { requireObject } from '../terms/require-object.ts'
import type { ChatPrice, RateTier, TokenRates } from './chat-price.ts'
import { requireChatPrice } from './require-chat-price.ts'

/** How long a cache that a request asks for is kept at least. */
export type CacheLifetime = '5m' | '1h'

/**
 * The price of a request to Claude that asks for caches of these lifetimes. Writing an input token
 * costs 1.25 times its rate for five minutes and twice its rate for an hour, in every tier.
 * https://platform.claude.com/docs/en/build-with-claude/prompt-caching#pricing
 */
export function withCacheWrites(
  price: ChatPrice,
  lifetimes: ReadonlySet<CacheLifetime>,
): ChatPrice {
  requireChatPrice(price)
  requireObject('lifetimes', lifetimes)
  if (typeof lifetimes.has !== 'function') throw new TypeError('lifetimes must be a Set')
  if (lifetimes.size === 0) return price
  const { peak } = price
  return {
    ...price,
    ...tableWithWrites(price, lifetimes),
    ...(peak && { peak: { ...peak, ...tableWithWrites(peak, lifetimes) } }),
  }
}

type PriceTable = { readonly rates: TokenRates; readonly tiers: readonly RateTier[] }

function tableWithWrites(
  { rates, tiers }: PriceTable,
  lifetimes: ReadonlySet<CacheLifetime>,
): PriceTable {
  return {
    rates: ratesWithWrites(rates, lifetimes),
    tiers: tiers.map((tier) => ({ ...tier, rates: ratesWithWrites(tier.rates, lifetimes) })),
  }
}

function ratesWithWrites(rates: TokenRates, lifetimes: ReadonlySet<CacheLifetime>): TokenRates {
  const { input, cacheWrite = input } = rates
  return {
    ...rates,
    cacheWrite: greatest(cacheWrite, fiveQuarters(input)),
    ...(lifetimes.has('1h') && { cacheWriteHour: picodollars(input * 2n) }),
  }
}

/** Rounded up, so that a quote is never below the bill. */
function fiveQuarters(rate: Usd): Usd {
  return picodollars((rate * 5n + 3n) / 4n)
}
