import type { Usage } from './usage.ts'

type Body = Readonly<Record<string, unknown>>

/** Where a body has its totals, and how the rest of it is read. The first match wins. */
const shapes = [
  { input: 'promptTokenCount', output: 'candidatesTokenCount', read: readGemini },
  { input: 'prompt_tokens', output: 'completion_tokens', read: readOpenAiChat },
  { input: 'inputTokens', output: 'outputTokens', read: readCamelCase },
  { input: 'input_tokens', output: 'output_tokens', read: readSnakeCase },
] as const

/**
 * Reads the usage of a response or its usage object: OpenAI's chat or Responses and compatible
 * ones, Anthropic's Messages, Gemini's `usageMetadata`, Bedrock's Converse, Cohere's billed units,
 * or the AI SDK's; `undefined` for anything else, and for totals that are not counts. Output includes
 * reasoning, and input includes cached tokens, also where they are reported separately; of Claude,
 * both include compactions. Tokens of audio and images are among the others; fees, such as those of
 * web searches, are left out, and so is what Claude's advisor used.
 */
export function readUsageBody(response: unknown): Usage | undefined {
  if (!isBody(response)) return undefined
  const inner = response['usage'] ?? response['usageMetadata']
  const found = isBody(inner) ? inner : response
  const body = isBody(found['billed_units']) ? found['billed_units'] : found
  const shape = shapes.find(
    ({ input, output }) => isCount(body[input]) && isCount(body[output] ?? 0),
  )
  const read = shape?.read(body)
  if (read === undefined) return undefined
  // A sum of counts may be too large to be one.
  const { source: _, ...counts } = read
  return Object.values(counts).every(isCount) ? read : undefined
}

function readOpenAiChat(body: Body): Usage {
  const details = part(body, 'prompt_tokens_details')
  const prompt = count(body, 'prompt_tokens')
  const cacheRead =
    count(details, 'cached_tokens') ||
    count(body, 'prompt_cache_hit_tokens') ||
    count(body, 'cached_tokens') ||
    count(body, 'num_cached_tokens')
  // Mistral reports audio apart from the prompt, and Grok cached tokens at times.
  const input =
    prompt + leftOut(prompt, count(details, 'audio_tokens')) + leftOut(prompt, cacheRead)
  return usage({
    input,
    // Some report reasoning apart from the output, or in the total only.
    output: Math.max(count(body, 'completion_tokens'), count(body, 'total_tokens') - input),
    cacheRead,
    cacheWrite: count(details, 'cache_write_tokens'),
    reasoning: count(part(body, 'completion_tokens_details'), 'reasoning_tokens'),
  })
}

function readSnakeCase(body: Body): Usage {
  return 'input_tokens_details' in body ? readResponses(body) : readAnthropic(body)
}

function readResponses(body: Body): Usage {
  const details = part(body, 'input_tokens_details')
  return usage({
    input: count(body, 'input_tokens'),
    output: count(body, 'output_tokens'),
    cacheRead: count(details, 'cached_tokens'),
    cacheWrite: count(details, 'cache_write_tokens'),
    reasoning: count(part(body, 'output_tokens_details'), 'reasoning_tokens'),
  })
}

function readAnthropic(body: Body): Usage {
  const calls = [body, ...compactions(body)]
  const total = (key: string): number => sumOf(calls.map((call) => count(call, key)))
  const cacheRead = total('cache_read_input_tokens')
  const cacheWrite = total('cache_creation_input_tokens')
  return usage({
    input: total('input_tokens') + cacheRead + cacheWrite,
    output: total('output_tokens'),
    cacheRead,
    cacheWrite,
    ...hourWrites(calls.map((call) => part(call, 'cache_creation'))),
    reasoning: count(part(body, 'output_tokens_details'), 'thinking_tokens'),
  })
}

/** Calls that summarized the context first, which the totals leave out. */
function compactions({ iterations }: Body): readonly Body[] {
  if (!Array.isArray(iterations)) return []
  return iterations.filter(isBody).filter(({ type }) => type === 'compaction')
}

function hourWrites(lifetimes: readonly Body[]): Pick<Counts, 'cacheWriteHour'> {
  const key = 'ephemeral_1h_input_tokens'
  if (lifetimes[0]?.[key] === undefined) return {}
  return { cacheWriteHour: sumOf(lifetimes.map((each) => count(each, key))) }
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((total, each) => total + each, 0)
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

/**
 * Bedrock has its own names for cached tokens, and reports them apart from the input. So does version 5 of
 * the AI SDK for Claude, under the name that it has for those within the input of other models.
 */
function readCamelCase(body: Body): Usage {
  const inside = part(body, 'inputTokenDetails')
  const cached = count(body, 'cachedInputTokens')
  const read = count(body, 'cacheReadInputTokens') || leftOut(count(body, 'inputTokens'), cached)
  const written = count(body, 'cacheWriteInputTokens')
  const thought = count(part(body, 'outputTokenDetails'), 'reasoningTokens')
  return usage({
    input: count(body, 'inputTokens') + read + written,
    output: count(body, 'outputTokens'),
    cacheRead: read || count(inside, 'cacheReadTokens') || cached,
    cacheWrite: written || count(inside, 'cacheWriteTokens'),
    reasoning: thought || count(body, 'reasoningTokens'),
  })
}

/** The tokens that a total leaves out: a part that is larger than its total is not included in it. */
function leftOut(total: number, part: number): number {
  return part > total ? part : 0
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
  return isCount(value) ? value : 0
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}
