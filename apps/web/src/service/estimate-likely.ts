import type { Estimate } from './estimate.ts'

/** Approximate amounts in USD, for display only: the service computes what is paid and refunded. */
export type LikelyCost = { readonly cost: number; readonly refund: number }

type Assumption = { readonly outputTokens: number; readonly minimumCharge: string }

/**
 * What a question is likely to cost if its answer has this many tokens: the lines of the quote with
 * this output and the operator's markup, at least the minimum charge, at most the maximum.
 */
export function estimateLikely(
  { estimatedCost, explanation }: Pick<Estimate, 'estimatedCost' | 'explanation'>,
  { outputTokens, minimumCharge }: Assumption,
): LikelyCost {
  const maximum = Number(estimatedCost.usd)
  const used = explanation
    .map(({ label, quantity, rate_usd: rate, amount_usd: amount }) => {
      if (label === 'output') return Math.min(outputTokens, quantity ?? 0) * Number(rate ?? 0)
      return ['input', 'request', 'margin'].includes(label) ? Number(amount) : 0
    })
    .reduce((sum, amount) => sum + amount, 0)
  const markup = explanation.find(({ label }) => label === 'markup')?.basis_points ?? 0
  const withMarkup = used * (1 + markup / 10_000)
  const cost = Math.min(Math.max(withMarkup, Number(minimumCharge)), maximum)
  return { cost, refund: maximum - cost }
}
