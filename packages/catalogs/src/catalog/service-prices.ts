import type { ChatPrice } from '@farebox/pricing'
import { readChatPrice } from '../price/read-price.ts'
import { type Service, serviceRates } from '../snapshot/service-rates.ts'

/** What a provider charges for a service that Farebox does not sell. */
export type ServicePrice = {
  readonly service: Service
  readonly price: ChatPrice
  /** The list, and the day on which it was read. */
  readonly source: string
}

/**
 * The list prices of a chat model's batch calls and of cache writes on request, for `itemizeUsage` of
 * `@farebox/pricing`. Empty if none is known; the gateway sells neither.
 */
export function servicePrices(modelId: string): readonly ServicePrice[] {
  return serviceRates
    .filter(({ model }) => model === modelId)
    .map(({ service, rates, source }) => ({
      service,
      price: readChatPrice({
        effectiveFrom: dayIn(source),
        basis: 'listing',
        source,
        rates,
        tiers: [],
      }),
      source,
    }))
}

function dayIn(source: string): string {
  return /\d{4}-\d{2}-\d{2}/.exec(source)?.[0] ?? ''
}
