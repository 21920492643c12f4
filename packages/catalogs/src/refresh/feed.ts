import type { UpstreamRoute } from '../chat/chat-model.ts'
import type { RateText } from '../chat/chat-record.ts'

/** Fetches a URL and returns its JSON; rejects unless a 200 with JSON arrives in time. */
export type FetchJson = (url: string) => Promise<unknown>

/** The current prices of one source: the rates of a route, if the source lists it. */
export type PriceList = (route: Pick<UpstreamRoute, 'provider' | 'model'>) => RateText | undefined

/** A public price list that can be read at run time. */
export type PriceFeed = {
  readonly name: string
  readonly url: string
  /** Parses the response; throws if it is not a price list. */
  readonly read: (json: unknown) => PriceList
}
