import type { ChatQuote } from '@farebox/pricing'

/** The caps of all choices, and the output beyond them that was quoted. */
export function billableOutput({ outputTokens, price, choices }: ChatQuote): number {
  return outputTokens + (price.outputAllowanceTokens ?? 0) * choices
}
