import type { Usd } from '@farebox/money'

/** What one token costs, in picodollars. A rate that is left out is the input rate. */
export type TokenRates = {
  readonly input: Usd
  readonly output: Usd
  /** An input token that the provider served from its cache. */
  readonly cacheRead?: Usd
  /** An input token that the provider wrote to its cache without being asked to. */
  readonly cacheWrite?: Usd
}

/** A cliff: from `fromInputTokens` input tokens on, every token of the request costs these rates. */
export type RateTier = {
  readonly fromInputTokens: number
  readonly rates: TokenRates
}

/** A window of the week, UTC, in minutes of the day; `days` are 0 for Sunday to 6 for Saturday. */
export type PeakWindow = {
  readonly days: readonly number[]
  readonly fromMinute: number
  readonly toMinute: number
}

/** Hours of the week in which a provider charges other rates. */
export type PeakHours = {
  readonly tiers: readonly RateTier[]
  readonly rates: TokenRates
  /** When they hold. Empty means that the hours are unknown: then they are charged always. */
  readonly windows: readonly PeakWindow[]
}

/** The price of a chat model as it holds from one day on. */
export type ChatPrice = {
  /** Names this price among all that ever held, and finds it again when a payment is priced. */
  readonly version: string
  readonly rates: TokenRates
  /** In ascending order of `fromInputTokens`. */
  readonly tiers: readonly RateTier[]
  /** The dearest rates of the week, where a provider has peak hours: what a quote must cover. */
  readonly peak?: PeakHours
  /** A fee for each request, whatever its size. */
  readonly perRequest?: Usd
  /** Output of each choice that a provider bills beyond `max_tokens`: reasoning outside the cap. */
  readonly outputAllowanceTokens?: number
}
