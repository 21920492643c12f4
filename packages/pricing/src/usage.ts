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
  /** `provider` when the figures are the provider's, `counted` when we counted what was relayed. */
  readonly source: 'provider' | 'counted'
}
