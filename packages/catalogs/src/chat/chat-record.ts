import type { ChatModel } from './chat-model.ts'
import type { ParameterProfile } from './parameter-profiles.ts'
import type { RateText } from './rate-text.ts'

export type { RateText }

/** From `fromInputTokens` input tokens on, these rates apply to every token of the request. */
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
 * The source of a price. `maker`: the maker's or host's own list. `listing`: one router's list.
 * `ceiling`: the highest of all known hosts of the same weights, used if one listing is not a
 * reliable upper bound. `refresh`, `override`, `custom`: not from the shipped snapshot.
 */
export type PriceBasis = 'maker' | 'listing' | 'ceiling' | 'refresh' | 'override' | 'custom'

/** A price and the date from which it applies. Once published it never changes; new ones are added. */
export type ChatPriceRecord = {
  /** An ISO 8601 date or time in UTC. */
  readonly effectiveFrom: string
  readonly basis: PriceBasis
  readonly source: string
  /** Published before the day on which it applies. */
  readonly announced?: true
  readonly rates: RateText
  readonly tiers: readonly TierText[]
  readonly peak?: PeakText
  /** USD per request. */
  readonly perRequest?: string
  readonly outputAllowanceTokens?: number
  /** The operator's margin on this price, in basis points. */
  readonly markupBps?: number
}

/** A chat model as data, with its complete price history. */
export type ChatRecord = Omit<ChatModel, 'price' | 'parameters'> & {
  readonly accepts: ParameterProfile
  /** In ascending order of `effectiveFrom`; at least one. */
  readonly prices: readonly ChatPriceRecord[]
}
