/** When to retry a call that the provider provably did not execute. */
export type RetryPolicy = {
  readonly attempts: number
  /** The delay before the second attempt, which each further attempt doubles. */
  readonly baseDelayMs: number
  /** The longest `Retry-After` to wait for, in milliseconds. */
  readonly maxWaitMs: number
}

export const defaultRetryPolicy: RetryPolicy = { attempts: 3, baseDelayMs: 200, maxWaitMs: 4_000 }

/**
 * How long to wait before the next attempt, in milliseconds, or null to give up.
 * `random` is in [0, 1).
 */
export function retryDelay(
  policy: RetryPolicy,
  attempt: number,
  options: { readonly retryAfter: number | null; readonly random: number },
): number | null {
  if (attempt >= policy.attempts) return null
  const { retryAfter, random } = options
  if (retryAfter !== null && retryAfter > policy.maxWaitMs) return null
  const backoff = policy.baseDelayMs * 2 ** (attempt - 1) * (0.5 + random)
  return Math.max(backoff, retryAfter ?? 0)
}

/** The delay of a `Retry-After` header in milliseconds: it holds seconds, or a date. */
export function readRetryAfter(header: string | undefined, now: number): number | null {
  if (header === undefined) return null
  const text = header.trim()
  if (/^\d{1,9}(\.\d{1,9})?$/.test(text)) return Number(text) * 1000
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}
