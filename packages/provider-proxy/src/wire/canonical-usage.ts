import type { Usd } from '@farebox/money'
import type { Usage } from '@farebox/pricing'

type Reported = {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** Those of `cacheWrite` that were written for an hour, if that is reported. */
  readonly cacheWriteHour?: number | undefined
  readonly reasoning: number
  readonly cost?: Usd | null
}

/**
 * A provider's counts as one record. Where a part exceeds its total, the part wins, since that is
 * what the provider will bill. Null for an input of 0 tokens without a cost: no request has none, so
 * some servers write it where they have not counted.
 */
export function canonicalUsage(reported: Reported): Usage | null {
  const { cacheRead, cacheWrite, cacheWriteHour: hour, reasoning, cost } = reported
  const input = Math.max(reported.input, cacheRead, cacheWrite)
  // Some providers report the same tokens as read and written.
  const written = Math.min(cacheWrite, input - cacheRead)
  if (input === 0 && !cost) return null
  return {
    inputTokens: input,
    outputTokens: Math.max(reported.output, reasoning),
    cacheReadTokens: cacheRead,
    cacheWriteTokens: written,
    ...(hour !== undefined && { cacheWriteHourTokens: Math.min(hour, written) }),
    reasoningTokens: reasoning,
    ...(cost !== undefined && cost !== null && { reportedCost: cost }),
    source: 'provider',
  }
}
