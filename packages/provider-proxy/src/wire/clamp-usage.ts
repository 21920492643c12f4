import type { Usage } from '@farebox/pricing'

/** The most that a call can use: the limit of its input, and its output cap over all choices. */
export type UsageBounds = { readonly inputTokens?: number; readonly outputTokens?: number }

/**
 * Usage within what is possible: a payer never pays for more output than was allowed, or for more
 * input than the request can hold, whatever the provider reports. The same object when it fits.
 */
export function clampUsage(usage: Usage, bounds: UsageBounds): Usage {
  const input = Math.min(usage.inputTokens, bounds.inputTokens ?? usage.inputTokens)
  const output = Math.min(usage.outputTokens, bounds.outputTokens ?? usage.outputTokens)
  if (input === usage.inputTokens && output === usage.outputTokens) return usage
  const cacheRead = Math.min(usage.cacheReadTokens, input)
  const cacheWrite = Math.min(usage.cacheWriteTokens, input - cacheRead)
  const hour = usage.cacheWriteHourTokens
  return {
    ...usage,
    inputTokens: input,
    outputTokens: output,
    cacheReadTokens: cacheRead,
    cacheWriteTokens: cacheWrite,
    ...(hour !== undefined && { cacheWriteHourTokens: Math.min(hour, cacheWrite) }),
    reasoningTokens: Math.min(usage.reasoningTokens, output),
  }
}
