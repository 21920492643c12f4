import type { ChatModel, UpstreamRoute } from './chat-model.ts'
import type { ParameterProfile } from './parameter-profiles.ts'

/** Rates as they are published: USD per 1,000,000 tokens, as decimal text. */
export type RateText = {
  readonly input: string
  readonly output: string
  readonly cacheRead?: string
  readonly cacheWrite?: string
}

export type TierText = {
  readonly fromInputTokens: number
  readonly rates: RateText
}

/** Hours of the week with other rates; see `PeakHours` of `@farebox/pricing`. */
export type PeakText = {
  readonly rates: RateText
  readonly tiers: readonly TierText[]
  readonly windows: readonly {
    readonly days: readonly number[]
    readonly fromMinute: number
    readonly toMinute: number
  }[]
}

/**
 * Where a price comes from. `maker`: the maker's or host's own list. `listing`: one router's list.
 * `ceiling`: the dearest of all known hosts of the same weights, where one listing cannot be
 * trusted to bound the others. `refresh`, `override`, `custom`: not from the shipped snapshot.
 */
export type PriceBasis = 'maker' | 'listing' | 'ceiling' | 'refresh' | 'override' | 'custom'

/** A price and the moment from which it holds. Never changed once published: appended to. */
export type ChatPriceRecord = {
  /** A day or an instant, ISO 8601, UTC. */
  readonly effectiveFrom: string
  readonly basis: PriceBasis
  readonly source: string
  /** Published ahead of the day on which it begins. */
  readonly announced?: true
  readonly rates: RateText
  readonly tiers: readonly TierText[]
  readonly peak?: PeakText
  /** USD for each request. */
  readonly perRequest?: string
  readonly outputAllowanceTokens?: number
}

/** A chat model as data: all that is known of it, with every price that it ever had. */
export type ChatRecord = Omit<ChatModel, 'price' | 'parameters' | 'routes'> & {
  readonly accepts: ParameterProfile
  readonly routes: readonly Pick<UpstreamRoute, 'provider' | 'model'>[]
  /** In ascending order of `effectiveFrom`; at least one. */
  readonly prices: readonly ChatPriceRecord[]
}
