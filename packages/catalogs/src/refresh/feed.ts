import type { UpstreamRoute } from '../chat/chat-model.ts'
import type { RateText } from '../chat/chat-record.ts'

/** Fetches an address and returns its JSON; rejects on anything but a 200 with JSON in time. */
export type FetchJson = (url: string) => Promise<unknown>

/** Prices as one source lists them now: what a way to a model costs, if the source knows it. */
export type PriceList = (route: Pick<UpstreamRoute, 'provider' | 'model'>) => RateText | undefined

/** A public price list that can be read at run time. */
export type PriceFeed = {
  readonly name: string
  readonly url: string
  /** Reads what the address answered; throws if it is not such a list at all. */
  readonly read: (json: unknown) => PriceList
}
