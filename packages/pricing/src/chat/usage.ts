import type { Usd } from '@farebox/money'

/** What a provider says that a chat call used. Token counts are non-negative safe integers. */
export type Usage = {
  /** All input tokens, the cached ones included. */
  readonly inputTokens: number
  /** All output tokens, reasoning included, over all choices. */
  readonly outputTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
  readonly reasoningTokens: number
  /** What the provider says that the call cost it, where it says so. */
  readonly reportedCost?: Usd
  /** When the provider worked, in ms since 1970. Without it, peak hours are assumed. */
  readonly served?: { readonly from: number; readonly to: number }
  /** `provider` when the figures are the provider's, `counted` when we counted what was relayed. */
  readonly source: 'provider' | 'counted'
}
