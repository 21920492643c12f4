import type { FinishReason } from '@farebox/api'

/** How a choice ended. */
export type ChoiceEnd = {
  readonly index: number
  readonly reason: FinishReason
  /** The text of `stop` that ended it, where the provider reports it. */
  readonly stopSequence?: string
}
