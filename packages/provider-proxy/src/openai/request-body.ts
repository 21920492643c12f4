import type { ChatMessage, ChatRequest } from '@farebox/api'
import { formatDecimal, type Usd } from '@farebox/money'
import type { ChatCall } from '../provider/chat-provider.ts'
import type { ProviderProfile } from './provider-profile.ts'

/**
 * The body of the upstream request. It is rebuilt from the validated request, field by field, so that
 * nothing unpriced and nothing private (`user`, `metadata`, `store`) is forwarded.
 */
export function requestBody(call: ChatCall, profile: ProviderProfile): string {
  const { request } = call
  return JSON.stringify({
    model: call.upstreamModel,
    messages: request.messages.map((message) => forwardedMessage(message, profile)),
    stream: true,
    stream_options: profile.usageFlag ? { include_usage: true } : undefined,
    [profile.capField]: call.maxTokens,
    temperature: call.temperature,
    ...sampling(request),
    [profile.seedField]: request.seed,
    ...shape(request),
    reasoning_effort: request.reasoning_effort,
    provider: profile.maxPrice === 'sent' ? routing(call) : undefined,
  })
}

function sampling(request: ChatRequest): Partial<ChatRequest> {
  const { n, top_p, stop, frequency_penalty, presence_penalty } = request
  const { logit_bias, logprobs, top_logprobs } = request
  return {
    // Some providers reject the name `n`, so its default is left out.
    ...(n !== 1 && { n }),
    top_p,
    stop,
    frequency_penalty,
    presence_penalty,
    logit_bias,
    logprobs,
    top_logprobs,
  }
}

function shape(request: ChatRequest): Partial<ChatRequest> {
  const { response_format, tools, tool_choice, parallel_tool_calls } = request
  return { response_format, tools, tool_choice, parallel_tool_calls }
}

function forwardedMessage(message: ChatMessage, profile: ProviderProfile): ChatMessage {
  switch (message.role) {
    case 'developer':
      return profile.developerRole === 'kept' ? message : { ...message, role: 'system' }
    case 'assistant':
      return { ...message, tool_calls: message.tool_calls?.map(withArguments) }
    default:
      return message
  }
}

type ToolCall = NonNullable<Extract<ChatMessage, { role: 'assistant' }>['tool_calls']>[number]

/** Some providers reject a call whose arguments are empty instead of an empty object. */
function withArguments(call: ToolCall): ToolCall {
  if (call.function.arguments !== '') return call
  return { ...call, function: { ...call.function, arguments: '{}' } }
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
