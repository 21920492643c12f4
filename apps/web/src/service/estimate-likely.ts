import type { Estimate } from './estimate.ts'

/** Amounts in USD as decimal text, for display: the service computes what is paid and refunded. */
export type LikelyCost = { readonly cost: string; readonly refund: string }

type Assumption = { readonly outputTokens: number; readonly minimumCharge: string }

/**
 * What a question is likely to cost if its answer has this many tokens: the lines of the quote with
 * this output and the operator's markup, at least the minimum charge, at most the maximum. Rounded
 * up to a millionth, as a charge is, so that cost and refund add up to the maximum.
 */
export function estimateLikely(
  { estimatedCost, explanation }: Pick<Estimate, 'estimatedCost' | 'explanation'>,
  { outputTokens, minimumCharge }: Assumption,
): LikelyCost {
  const maximum = millionths(Number(estimatedCost.usd))
  const used = explanation
    .map(({ label, quantity, rate_usd: rate, amount_usd: amount }) => {
      if (label === 'output') return Math.min(outputTokens, quantity ?? 0) * Number(rate ?? 0)
      return ['input', 'request'].includes(label) ? Number(amount) : 0
    })
    .reduce((sum, amount) => sum + amount, 0)
  const markup = explanation.find(({ label }) => label === 'markup')?.basis_points ?? 0
  const withMarkup = used * (1 + markup / 10_000)
  const cost = Math.min(millionths(Math.max(withMarkup, Number(minimumCharge))), maximum)
  return { cost: usdText(cost), refund: usdText(maximum - cost) }
}

/** Rounded up; what is less than a thousandth of a millionth is an inexact binary fraction. */
function millionths(usd: number): number {
  return Math.ceil(Number((usd * 1e6).toFixed(3)))
}

function usdText(millionth: number): string {
  return (millionth / 1e6).toFixed(6)
}
