import type { Usd } from '@farebox/money'

/** The cost of one token in picodollars. A missing rate defaults to the input rate. */
export type TokenRates = {
  readonly input: Usd
  readonly output: Usd
  /** An input token read from the provider's cache. */
  readonly cacheRead?: Usd
  /** An input token that the provider wrote to its cache. */
  readonly cacheWrite?: Usd
  /** An input token that it wrote there for an hour; `cacheWrite` by default. */
  readonly cacheWriteHour?: Usd
}

/** From `fromInputTokens` input tokens on, these rates apply to every token of the request. */
export type RateTier = {
  readonly fromInputTokens: number
  readonly rates: TokenRates
}

/**
 * A window of the week, UTC, from one minute of the day to before another, 0 to 1440, the second after
 * the first. `days` are 0 for Sunday to 6 for Saturday; hours across midnight are two windows.
 */
export type PeakWindow = {
  readonly days: readonly number[]
  readonly fromMinute: number
  readonly toMinute: number
}

/** Hours of the week with other rates. */
export type PeakHours = {
  readonly tiers: readonly RateTier[]
  readonly rates: TokenRates
  /** When the rates apply. Empty if the hours are unknown: then the rates always apply. */
  readonly windows: readonly PeakWindow[]
}

/** The price of a chat model from one day on. */
export type ChatPrice = {
  /** Identifies this price among all past ones, so that a payment is priced as it was quoted. */
  readonly version: string
  readonly rates: TokenRates
  /** In ascending order of `fromInputTokens`. */
  readonly tiers: readonly RateTier[]
  /** The highest rates of the week if the provider has peak hours; quotes must cover them. */
  readonly peak?: PeakHours
  /** A fee per request, regardless of its size. */
  readonly perRequest?: Usd
  /** Output per choice that a provider may bill beyond `max_tokens`, such as reasoning. */
  readonly outputAllowanceTokens?: number
  /** The operator's margin on this price, in basis points, in place of that of the terms. */
  readonly markupBps?: number
}
