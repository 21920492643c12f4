import { parseWith } from '@farebox/api'
import { nameField } from '../wire/field-names.ts'
import type { WireRequest } from '../wire/wire.ts'
import { withoutAbsent } from '../wire/without-absent.ts'
import { customFunction } from './custom-tools.ts'
import { type ReadInput, readInput } from './read-input.ts'
import { createResponsesReply } from './responses-reply.ts'
import { type ResponsesRequest, responsesRequestSchema } from './responses-request.ts'

/** Translates the body of `POST /v1/responses` into a chat request. */
export function readResponsesRequest(body: unknown): WireRequest {
  const parsed = parseWith(responsesRequestSchema, body)
  if (parsed.status === 'invalid') return { status: 'refused', problem: parsed.problem }
  const request = parsed.value
  const read = readInput(request)
  const origins = originsOf(request, read)
  return {
    status: 'translated',
    chat: withoutAbsent(chatBody(request, read)),
    reply: createResponsesReply(request),
    fieldName: (field) => nameField(origins, field),
  }
}

function chatBody(request: ResponsesRequest, { messages }: ReadInput): Record<string, unknown> {
  const logprobs = request.include?.includes('message.output_text.logprobs') === true
  return {
    model: request.model,
    messages,
    stream: request.stream,
    max_tokens: request.max_output_tokens,
    temperature: request.temperature,
    top_p: request.top_p,
    logprobs: logprobs || request.top_logprobs ? true : undefined,
    top_logprobs: request.top_logprobs,
    tools: toolsOf(request),
    tool_choice: toolChoiceOf(request),
    parallel_tool_calls: request.parallel_tool_calls,
    response_format: responseFormatOf(request),
    verbosity: request.text?.verbosity,
    reasoning_effort: request.reasoning?.effort,
    user: request.user,
    safety_identifier: request.safety_identifier,
    prompt_cache_key: request.prompt_cache_key,
    prompt_cache_retention: request.prompt_cache_retention,
    service_tier: request.service_tier,
  }
}

function toolsOf({ tools }: ResponsesRequest): readonly object[] | undefined {
  if (tools === null || tools === undefined || tools.length === 0) return undefined
  return tools.map((tool) => ({ type: 'function', function: functionOf(tool) }))
}

function functionOf(tool: NonNullable<ResponsesRequest['tools']>[number]): object {
  if (tool.type === 'custom') return customFunction(tool)
  const { name, description, parameters, strict } = tool
  return withoutAbsent({ name, description, parameters, strict })
}

function toolChoiceOf({ tool_choice: choice }: ResponsesRequest): unknown {
  if (typeof choice !== 'object' || choice === null) return choice
  if (choice.type !== 'allowed_tools') return chatTool(choice)
  const { type, mode, tools } = choice
  return { type, allowed_tools: { mode, tools: tools.map(chatTool) } }
}

function chatTool({ name }: { readonly name: string }): object {
  return { type: 'function', function: { name } }
}

function responseFormatOf({ text }: ResponsesRequest): object | undefined {
  const format = text?.format
  if (format === null || format === undefined || format.type === 'text') return undefined
  if (format.type === 'json_object') return format
  const { type, ...schema } = format
  return { type, json_schema: withoutAbsent(schema) }
}

function originsOf(request: ResponsesRequest, { origins }: ReadInput): ReadonlyMap<string, string> {
  return new Map([
    ['messages', 'input'],
    ['max_tokens', 'max_output_tokens'],
    ['response_format', 'text.format'],
    ['response_format.json_schema', 'text.format'],
    ['verbosity', 'text.verbosity'],
    ['reasoning_effort', 'reasoning.effort'],
    ['tool_choice.function', 'tool_choice'],
    ...allowedTools(request).map((_, index): [string, string] => [
      `tool_choice.allowed_tools.tools[${index}].function`,
      `tool_choice.tools[${index}]`,
    ]),
    ...(request.tools ?? []).map((_, index): [string, string] => [
      `tools[${index}].function`,
      `tools[${index}]`,
    ]),
    ...origins,
  ])
}

function allowedTools({ tool_choice: choice }: ResponsesRequest): readonly object[] {
  return typeof choice === 'object' && choice?.type === 'allowed_tools' ? choice.tools : []
}
