import type { ChatPrice } from '@farebox/pricing'
import type { UpstreamRoute } from '../chat/chat-model.ts'
import { readRates } from './read-price.ts'

/**
 * What a call costs on one route of a model: the model's price, or the route's own rates if it has
 * some. Cached input costs the route's input rate unless the route has a rate for it.
 */
export function routePrice(
  price: ChatPrice,
  { price: own }: Pick<UpstreamRoute, 'price'>,
): ChatPrice {
  if (own === undefined) return price
  const { peak: _peak, rates, ...kept } = price
  const { cacheRead: _read, ...writes } = rates
  return { ...kept, rates: { ...writes, ...readRates(own) }, tiers: [] }
}
