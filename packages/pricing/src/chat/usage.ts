import type { Usd } from '@farebox/money'

/** What a chat call used. Token counts are non-negative safe integers. */
export type Usage = {
  /** All input tokens, including cached ones. */
  readonly inputTokens: number
  /** All output tokens of all choices, including reasoning. */
  readonly outputTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
  /** Those of `cacheWriteTokens` that were written for an hour; all of them by default. */
  readonly cacheWriteHourTokens?: number
  readonly reasoningTokens: number
  /**
   * The cost that the provider reports. 0 or less counts as not reported: then the price by rates
   * applies.
   */
  readonly reportedCost?: Usd
  /** When the provider served the call, in ms since 1970. Without it, peak hours are assumed. */
  readonly served?: { readonly from: number; readonly to: number }
  /** `provider` if the provider reported the figures, `counted` if we counted the relayed text. */
  readonly source: 'provider' | 'counted'
}
