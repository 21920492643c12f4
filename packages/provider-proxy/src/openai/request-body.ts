import { type ChatField, type ChatRequest, isNeutral, withoutMark } from '@farebox/api'
import { formatDecimal, type Usd } from '@farebox/money'
import { alternatingTurns } from '../provider/alternating-turns.ts'
import type { ChatCall } from '../provider/chat-provider.ts'
import { forcedTools } from '../provider/unsupported-field.ts'
import { jsonBody } from '../transport/json-body.ts'
import { isEmptyTurn } from '../wire/message-text.ts'
import { forwardedMessage } from './forwarded-message.ts'
import type { ProviderProfile } from './provider-profile.ts'
import { schemaAsText } from './schema-as-text.ts'

/**
 * The body of the upstream request. It is rebuilt from the validated request, field by field, so that
 * nothing unpriced and nothing private (`user`, `metadata`, `store`) is forwarded.
 */
export function requestBody(call: ChatCall, profile: ProviderProfile): string {
  const { request } = call
  const words = profile.schemas === 'as text' ? schemaAsText(request) : undefined
  const given = messages(call, profile)
  return jsonBody({
    model: call.upstreamModel,
    messages: words === undefined ? given : [words.message, ...given],
    ...streaming(request, profile),
    [profile.capField]: call.maxTokens,
    temperature: profile.unsupported.includes('temperature') ? undefined : call.temperature,
    [profile.seedField]: request.seed,
    ...forwardedFields(request, profile),
    tools: request.tools?.map((tool) =>
      withParameters(profile.cacheMarks === 'sent' ? tool : withoutMark(tool)),
    ),
    ...(profile.thinkingType === 'sent' && thinkingType(request)),
    ...(forcedTools(profile, request, call.upstreamModel) === 'without reasoning' && {
      ...profile.thinkingOff,
      reasoning_effort: undefined,
    }),
    reasoning: profile.reasoningBudgets === 'supported' ? reasoningBudget(request) : undefined,
    ...(words && { response_format: words.response_format }),
    provider: profile.maxPrice === 'sent' ? routing(call) : undefined,
  })
}

type Tool = NonNullable<ChatRequest['tools']>[number]

/** Mistral requires them, if there are none too: https://docs.mistral.ai/openapi.yaml */
function withParameters(tool: Tool): Tool {
  const { strict, parameters: given } = tool.function
  const none = { type: 'object', properties: {}, ...(strict && { additionalProperties: false }) }
  const parameters = given ?? none
  return { ...tool, function: { ...tool.function, parameters } }
}

function streaming({ response_format: format }: ChatRequest, profile: ProviderProfile): object {
  const hasFormat = format !== undefined && format.type !== 'text'
  if (hasFormat && profile.formatted === 'whole') return { stream: false }
  return { stream: true, ...(profile.usageFlag && { stream_options: { include_usage: true } }) }
}

function messages({ request, upstreamModel }: ChatCall, profile: ProviderProfile): object[] {
  const given = request.messages.filter((message) => !isEmptyTurn(message))
  const hasCalls = given.some((message) => message.role === 'tool')
  const conversation = { upstreamModel, hasCalls }
  if (profile.messages.turns === 'any') {
    return given.map((message) => forwardedMessage(message, profile, conversation))
  }
  return alternatingTurns(given).map((message, index, { length }) => {
    const shaped = forwardedMessage(message, profile, conversation)
    const isBeginning = message.role === 'assistant' && index === length - 1
    return isBeginning ? { ...shaped, prefix: true } : shaped
  })
}

const forwarded = [
  'n',
  'top_p',
  'stop',
  'frequency_penalty',
  'presence_penalty',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'response_format',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning_effort',
  'verbosity',
  'top_k',
  'min_p',
  'repetition_penalty',
] as const

/** A provider's default for these may differ from their neutral value. */
const withOwnDefault: readonly ChatField[] = ['parallel_tool_calls', 'reasoning_effort']

/** Some providers and models reject the mere name of a field, so neutral ones are left out. */
function forwardedFields(request: ChatRequest, { unsupported }: ProviderProfile): object {
  const sent = withOwnDefault.filter(
    (name) => !unsupported.includes(name) && (name !== 'parallel_tool_calls' || request.tools),
  )
  const fields = forwarded.filter((name) => !isNeutral(request, name) || sent.includes(name))
  return Object.fromEntries(fields.map((name) => [name, request[name]]))
}

/** OpenRouter accepts only one of the two. */
function reasoningBudget({ reasoning, reasoning_effort: effort }: ChatRequest): object | undefined {
  const { max_tokens } = reasoning ?? {}
  return max_tokens === undefined || effort !== undefined ? undefined : { max_tokens }
}

/** The effort, for providers that have a separate switch for thinking. */
function thinkingType({ reasoning_effort: effort }: ChatRequest): object {
  if (effort === undefined) return {}
  if (effort === 'none') return { thinking: { type: 'disabled' }, reasoning_effort: undefined }
  return { thinking: { type: 'enabled' } }
}

/** Keeps out endpoints that cost more than was paid or would drop a parameter. */
function routing({ maxPrice }: ChatCall): object {
  return {
    max_price: { prompt: perMillion(maxPrice.input), completion: perMillion(maxPrice.output) },
    require_parameters: true,
  }
}

/** Dollars per million tokens from picodollars a token. */
function perMillion(rate: Usd): number {
  return Number(formatDecimal(rate, 6))
}
