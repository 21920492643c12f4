import { formatUsd } from '@farebox/money'
import type { QuoteLine } from '@farebox/pricing'

export type QuoteLineBody = { readonly label: string } & Readonly<Record<string, string | number>>

/** The lines of a quote as the client receives them: amounts and rates as decimal text in USD. */
export function quoteLines(lines: readonly QuoteLine[]): QuoteLineBody[] {
  return lines.map(({ what, quantity, rate, tierFromInputTokens, basisPoints, amount }) => ({
    label: what,
    ...(quantity !== undefined && { quantity }),
    ...(rate !== undefined && { rate_usd: formatUsd(rate) }),
    ...(tierFromInputTokens !== undefined && { tier_from_input_tokens: tierFromInputTokens }),
    ...(basisPoints !== undefined && { basis_points: basisPoints }),
    amount_usd: formatUsd(amount),
  }))
}
