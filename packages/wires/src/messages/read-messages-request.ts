import { parseWith } from '@farebox/api'
import { nameField } from '../wire/field-names.ts'
import type { WireRequest } from '../wire/wire.ts'
import { withoutAbsent } from '../wire/without-absent.ts'
import { createMessagesReply } from './messages-reply.ts'
import {
  type CountTokensRequest,
  countTokensRequestSchema,
  type MessagesRequest,
  messagesRequestSchema,
  type ToolDefinition,
} from './messages-request.ts'
import { offeredTools } from './offered-tools.ts'
import { markOf, type ReadMessages, readMessages } from './read-messages.ts'

/** Fields that this interface has and prices, unlike chat completions. */
const priced = ['cache_control', 'service_tier', 'thinking']

/** Translates the body of `POST /v1/messages` into a chat request. */
export function readMessagesRequest(body: unknown): WireRequest {
  const parsed = parseWith(messagesRequestSchema, body, priced)
  if (parsed.status === 'invalid') return { status: 'refused', problem: parsed.problem }
  const read = readMessages(parsed.value)
  return translated(parsed.value, read, {
    ...countedBody(parsed.value, read),
    ...paidBody(parsed.value),
  })
}

/** Translates the body of `POST /v1/messages/count_tokens` into a chat request to estimate. */
export function readCountTokensRequest(body: unknown): WireRequest {
  const parsed = parseWith(countTokensRequestSchema, body, priced)
  if (parsed.status === 'invalid') return { status: 'refused', problem: parsed.problem }
  const read = readMessages(parsed.value)
  return translated(parsed.value, read, {
    ...countedBody(parsed.value, read),
    // A budget adds nothing to the input, and must be below `max_tokens`.
    ...(parsed.value.thinking?.type === 'enabled' && { reasoning: undefined }),
    max_tokens: 1,
  })
}

function translated(
  request: CountTokensRequest,
  read: ReadMessages,
  body: Readonly<Record<string, unknown>>,
): WireRequest {
  const origins = originsOf(request, read)
  return {
    status: 'translated',
    chat: withoutAbsent(body),
    reply: createMessagesReply(),
    fieldName: (field) => nameField(origins, field).replace(/\.image_url\.url$/, '.source'),
  }
}

function countedBody(
  request: CountTokensRequest,
  { messages }: ReadMessages,
): Record<string, unknown> {
  const { model, output_config: output } = request
  const tools = offeredTools(request)
  return {
    model,
    messages,
    ...(tools.length > 0 && { tools: tools.map(({ tool }) => chatTool(tool)) }),
    ...toolChoiceOf(request),
    reasoning_effort: effortOf(request),
    ...reasoningOf(request),
    ...(output?.format && {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'output', schema: output.format.schema, strict: true },
      },
    }),
  }
}

function chatTool({ name, description, input_schema, strict, ...tool }: ToolDefinition): object {
  return {
    type: 'function',
    ...markOf(tool),
    function: {
      name,
      ...(description && { description }),
      parameters: input_schema,
      ...(strict && { strict }),
    },
  }
}

/** The last message that sets an effort decides. */
function effortOf({ messages, output_config: output }: CountTokensRequest): string | undefined {
  const changes = messages.flatMap((message) =>
    message.role === 'system' ? (message.output_config?.effort ?? []) : [],
  )
  return changes.at(-1) ?? output?.effort ?? undefined
}

function paidBody(request: MessagesRequest): Record<string, unknown> {
  const { max_tokens, stream, temperature, top_p, top_k, stop_sequences: stop } = request
  return {
    max_tokens,
    stream,
    temperature,
    top_p,
    top_k,
    stop: stop?.length ? stop : undefined,
    user: request.metadata?.user_id,
  }
}

/** For other makers' models `adaptive` is ignored, since some clients always send it. */
function reasoningOf(request: CountTokensRequest): Record<string, unknown> {
  const { model, thinking } = request
  switch (thinking?.type) {
    case 'enabled':
      return { reasoning: { max_tokens: thinking.budget_tokens } }
    case 'disabled':
    case 'between_tools':
      return { reasoning: { enabled: false } }
    case 'adaptive': {
      const isDefault = !/claude/i.test(model) || effortOf(request) !== undefined
      return isDefault ? {} : { reasoning: { enabled: true } }
    }
    default:
      return {}
  }
}

function toolChoiceOf({ tool_choice: choice }: CountTokensRequest): Record<string, unknown> {
  if (choice === null || choice === undefined) return {}
  const parallel =
    'disable_parallel_tool_use' in choice && choice.disable_parallel_tool_use === true
      ? { parallel_tool_calls: false }
      : {}
  switch (choice.type) {
    case 'auto':
    case 'none':
      return { tool_choice: choice.type, ...parallel }
    case 'any':
      return { tool_choice: 'required', ...parallel }
    case 'tool':
      return { tool_choice: { type: 'function', function: { name: choice.name } }, ...parallel }
  }
}

function originsOf(
  request: CountTokensRequest,
  { origins }: ReadMessages,
): ReadonlyMap<string, string> {
  return new Map([
    ['stop', 'stop_sequences'],
    ['user', 'metadata.user_id'],
    ['reasoning_effort', 'output_config.effort'],
    ['reasoning', 'thinking'],
    ['reasoning.max_tokens', 'thinking.budget_tokens'],
    ['reasoning.enabled', 'thinking.type'],
    ['response_format', 'output_config.format'],
    ['response_format.json_schema', 'output_config.format'],
    ['tool_choice.function', 'tool_choice'],
    ['parallel_tool_calls', 'tool_choice.disable_parallel_tool_use'],
    ...offeredTools(request).flatMap(({ origin }, index): [string, string][] => [
      [`tools[${index}].function.parameters`, `${origin}.input_schema`],
      [`tools[${index}].function`, origin],
      [`tools[${index}]`, origin],
    ]),
    ...origins,
  ])
}
