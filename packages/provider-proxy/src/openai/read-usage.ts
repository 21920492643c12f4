import { sum, type Usd } from '@farebox/money'
import type { Usage } from '@farebox/pricing'
import { canonicalUsage } from '../wire/canonical-usage.ts'
import { exactCost } from '../wire/exact-cost.ts'
import { isRecord, type JsonRecord, recordAt } from '../wire/json-reading.ts'
import { countAt, firstCountAt } from '../wire/token-count.ts'
import type { UsageProfile } from './provider-profile.ts'

/**
 * Reads a usage object of the OpenAI shape. Null when a total is missing or not a count: the gateway
 * then counts for itself instead of inventing figures.
 */
export function readUsage(value: unknown, profile: UsageProfile): Usage | null {
  if (!isRecord(value)) return null
  const completion = countAt(value, 'completion_tokens')
  const cacheRead = cachedTokens(value)
  const input = inputTokens(value, cacheRead, profile)
  if (input === undefined || completion === undefined) return null
  const reasoning = reasoningTokens(value)
  const output = profile.reasoning === 'outside' ? completion + reasoning : completion
  return canonicalUsage({
    input,
    // Some servers bill reasoning that only the total holds.
    output: Math.max(output, (countAt(value, 'total_tokens') ?? 0) - input),
    cacheRead,
    cacheWrite: countAt(recordAt(value, 'prompt_tokens_details'), 'cache_write_tokens') ?? 0,
    reasoning,
    cost: reportedCost(value, profile.cost),
  })
}

/** Cached or audio tokens that exceed the prompt cannot be part of it. */
function inputTokens(
  usage: JsonRecord,
  cacheRead: number,
  profile: UsageProfile,
): number | undefined {
  const prompt = countAt(usage, 'prompt_tokens')
  if (prompt === undefined) return undefined
  const audio = countAt(recordAt(usage, 'prompt_tokens_details'), 'audio_tokens') ?? 0
  if (profile.cached === 'outside when larger' && cacheRead > prompt) return prompt + cacheRead
  return Math.max(audio > prompt ? prompt + audio : prompt, cacheRead)
}

/**
 * What the call cost in dollars. With the operator's own key (`is_byok`), OpenRouter's `cost` is its
 * fee alone, and the vendor bills `upstream_inference_cost` on top of it.
 */
function reportedCost(usage: JsonRecord, source: UsageProfile['cost']): Usd | null {
  switch (source) {
    case 'not reported':
      return null
    case 'itemized': {
      const items = recordAt(usage, 'cost')
      return items === undefined ? null : exactCost(items['total_cost'])
    }
    case 'reported': {
      const cost = exactCost(usage['cost'])
      if (usage['is_byok'] !== true) return cost
      const upstream = exactCost(recordAt(usage, 'cost_details')?.['upstream_inference_cost'])
      return cost === null || upstream === null ? null : sum([cost, upstream])
    }
  }
}

function cachedTokens(usage: JsonRecord): number {
  const details =
    recordAt(usage, 'prompt_tokens_details') ?? recordAt(usage, 'prompt_token_details')
  return (
    countAt(details, 'cached_tokens') ??
    firstCountAt(usage, ['prompt_cache_hit_tokens', 'cached_tokens', 'num_cached_tokens']) ??
    0
  )
}

function reasoningTokens(usage: JsonRecord): number {
  const details = recordAt(usage, 'completion_tokens_details')
  return countAt(details, 'reasoning_tokens') ?? countAt(usage, 'reasoning_tokens') ?? 0
}
