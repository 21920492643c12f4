import type { Usd } from '@farebox/money'
import type { Usage } from '@farebox/pricing'

type Reported = {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly reasoning: number
  readonly cost?: Usd | null
}

/**
 * A provider's counts as one record. Where parts exceed their total, the larger reading wins, since
 * that is what the provider will bill.
 */
export function canonicalUsage(reported: Reported): Usage {
  const { cacheRead, cacheWrite, reasoning, cost } = reported
  return {
    inputTokens: Math.max(reported.input, cacheRead + cacheWrite),
    outputTokens: Math.max(reported.output, reasoning),
    cacheReadTokens: cacheRead,
    cacheWriteTokens: cacheWrite,
    reasoningTokens: reasoning,
    ...(cost !== undefined && cost !== null && { reportedCost: cost }),
    source: 'provider',
  }
}
