import type { Usdc } from '@farebox/money'
import type { Terms } from '../terms/terms.ts'
import type { ChatPrice } from './chat-price.ts'

/** The maximum cost of one chat request, as plain data that includes the price used. */
export type ChatQuote = {
  readonly kind: 'chat'
  readonly model: string
  /** The upper bound on the input, which the maximum covers. */
  readonly inputTokens: number
  /** The best estimate of the input, which `likely` is computed from. */
  readonly likelyInputTokens: number
  /** `choices` times the output cap. */
  readonly outputTokens: number
  readonly choices: number
  readonly price: ChatPrice
  readonly terms: Terms
  /** The amount paid up front. */
  readonly maximum: Usdc
  /**
   * The cost at full output, without buffer, peak hours or cache writes. Its input is the token
   * counter's estimate, which is within 6 % of recorded bills at the median with tools, and within
   * 12 % without for families with eight or more judged bills (`MEASUREMENTS.md` of
   * `@farebox/tokenizer`, Bills).
   */
  readonly likely: Usdc
}
