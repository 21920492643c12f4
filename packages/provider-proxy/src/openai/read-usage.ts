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
  const prompt = countAt(value, 'prompt_tokens')
  const completion = countAt(value, 'completion_tokens')
  if (prompt === undefined || completion === undefined) return null
  const cacheRead = cachedTokens(value)
  const reasoning = reasoningTokens(value)
  const cachedApart = profile.cached === 'outside when larger' && cacheRead > prompt
  return canonicalUsage({
    input: cachedApart ? prompt + cacheRead : prompt,
    output: profile.reasoning === 'outside' ? completion + reasoning : completion,
    cacheRead,
    cacheWrite: countAt(recordAt(value, 'prompt_tokens_details'), 'cache_write_tokens') ?? 0,
    reasoning,
    cost: profile.cost === 'reported' ? exactCost(value['cost']) : null,
  })
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
