import type { Usdc } from '@farebox/money'
import type { Terms } from '../terms/terms.ts'
import type { ChatPrice } from './chat-price.ts'

/** The most that one chat request can cost, as plain data with the price in force copied in. */
export type ChatQuote = {
  readonly kind: 'chat'
  readonly model: string
  /** The upper bound of the input, which the maximum covers. */
  readonly inputTokens: number
  /** The best estimate of the input, which `likely` is made of. */
  readonly likelyInputTokens: number
  /** `choices` times the output cap. */
  readonly outputTokens: number
  readonly choices: number
  readonly price: ChatPrice
  readonly terms: Terms
  /** What is paid up front. */
  readonly maximum: Usdc
  /** What the request would cost at its full output without buffer, peak hours or cache writes. */
  readonly likely: Usdc
}
