import type { Usage } from './usage.ts'

type Body = Readonly<Record<string, unknown>>

/**
 * Reads the usage of a response or its usage object: OpenAI's chat or Responses and compatible
 * ones, Anthropic's Messages, Gemini's `usageMetadata`, Bedrock's Converse, Cohere's billed units,
 * or the AI SDK's; `undefined` for anything else. Output includes reasoning, and input includes
 * cached tokens, also where they are reported separately.
 */
export function readUsageBody(response: unknown): Usage | undefined {
  if (!isBody(response)) return undefined
  const inner = response['usage'] ?? response['usageMetadata']
  const body = isBody(inner) ? inner : response
  if (typeof body['promptTokenCount'] === 'number') return readGemini(body)
  if (typeof body['prompt_tokens'] === 'number') return readOpenAiChat(body)
  if (typeof body['inputTokens'] === 'number') return readCamelCase(body)
  if (isBody(body['billed_units'])) return readAnthropic(body['billed_units'])
  if (typeof body['input_tokens'] !== 'number') return undefined
  return 'input_tokens_details' in body ? readResponses(body) : readAnthropic(body)
}

function readOpenAiChat(body: Body): Usage {
  const details = part(body, 'prompt_tokens_details')
  const reasoning = count(part(body, 'completion_tokens_details'), 'reasoning_tokens')
  const input = count(body, 'prompt_tokens')
  const output = count(body, 'completion_tokens')
  const isBeside = count(body, 'total_tokens') === input + output + reasoning
  return usage({
    input,
    output: isBeside ? output + reasoning : output,
    cacheRead: count(details, 'cached_tokens') || count(body, 'prompt_cache_hit_tokens'),
    cacheWrite: count(details, 'cache_write_tokens'),
    reasoning,
  })
}

function readResponses(body: Body): Usage {
  return usage({
    input: count(body, 'input_tokens'),
    output: count(body, 'output_tokens'),
    cacheRead: count(part(body, 'input_tokens_details'), 'cached_tokens'),
    cacheWrite: 0,
    reasoning: count(part(body, 'output_tokens_details'), 'reasoning_tokens'),
  })
}

function readAnthropic(body: Body): Usage {
  const cacheRead = count(body, 'cache_read_input_tokens')
  const cacheWrite = count(body, 'cache_creation_input_tokens')
  return usage({
    input: count(body, 'input_tokens') + cacheRead + cacheWrite,
    output: count(body, 'output_tokens'),
    cacheRead,
    cacheWrite,
    ...hourWrites(part(body, 'cache_creation')),
    reasoning: count(part(body, 'output_tokens_details'), 'thinking_tokens'),
  })
}

function hourWrites(lifetimes: Body): Pick<Counts, 'cacheWriteHour'> {
  const key = 'ephemeral_1h_input_tokens'
  return lifetimes[key] === undefined ? {} : { cacheWriteHour: count(lifetimes, key) }
}

function readGemini(body: Body): Usage {
  const reasoning = count(body, 'thoughtsTokenCount')
  return usage({
    input: count(body, 'promptTokenCount') + count(body, 'toolUsePromptTokenCount'),
    output: count(body, 'candidatesTokenCount') + reasoning,
    cacheRead: count(body, 'cachedContentTokenCount'),
    cacheWrite: 0,
    reasoning,
  })
}

/** Bedrock has its own names for cached tokens, and reports them beside the input. */
function readCamelCase(body: Body): Usage {
  const inside = part(body, 'inputTokenDetails')
  const beside = count(body, 'cacheReadInputTokens')
  const written = count(body, 'cacheWriteInputTokens')
  const thought = count(part(body, 'outputTokenDetails'), 'reasoningTokens')
  return usage({
    input: count(body, 'inputTokens') + beside + written,
    output: count(body, 'outputTokens'),
    cacheRead: beside || count(inside, 'cacheReadTokens') || count(body, 'cachedInputTokens'),
    cacheWrite: written || count(inside, 'cacheWriteTokens'),
    reasoning: thought || count(body, 'reasoningTokens'),
  })
}

type Counts = Readonly<
  Record<'input' | 'output' | 'cacheRead' | 'cacheWrite' | 'reasoning', number> & {
    cacheWriteHour?: number
  }
>

function usage({ input, output, reasoning, ...cached }: Counts): Usage {
  const { cacheRead, cacheWrite, cacheWriteHour } = cached
  return {
    inputTokens: input,
    outputTokens: Math.max(output, reasoning),
    cacheReadTokens: cacheRead,
    cacheWriteTokens: cacheWrite,
    ...(cacheWriteHour !== undefined && { cacheWriteHourTokens: cacheWriteHour }),
    reasoningTokens: reasoning,
    source: 'provider',
  }
}

function isBody(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function part(body: Body, key: string): Body {
  const value = body[key]
  return isBody(value) ? value : {}
}

function count(body: Body, key: string): number {
  const value = body[key]
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : 0
}
