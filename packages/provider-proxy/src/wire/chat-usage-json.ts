import type { ChatUsage } from '@farebox/api'
import type { Usage } from '@farebox/pricing'
import type { Timings } from '../provider/chat-provider.ts'

/** The usage object of the service specification; timings in milliseconds. */
export function chatUsageJson(usage: Usage, timings: Timings = {}): ChatUsage {
  const { inputTokens, outputTokens, cacheReadTokens: read, reasoningTokens } = usage
  const { cacheWriteTokens: written } = usage
  const { queue, prompt, completion, total } = timings
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    ...((read > 0 || written > 0) && {
      prompt_tokens_details: {
        cached_tokens: read,
        ...(written > 0 && { cache_write_tokens: written }),
      },
    }),
    ...(reasoningTokens > 0 && {
      completion_tokens_details: { reasoning_tokens: reasoningTokens },
    }),
    ...(queue !== undefined && { queue_time: queue }),
    ...(prompt !== undefined && { prompt_time: prompt }),
    ...(completion !== undefined && { completion_time: completion }),
    ...(total !== undefined && { total_time: total }),
    ...(usage.source === 'counted' && { source: 'counted' }),
  }
}
