import type { ChatRequest } from '@farebox/api'
import type { ChatModel, ChatParameter } from '@farebox/catalogs'
import type { Refusal } from './request-rejection.ts'

const parameters: readonly ChatParameter[] = [
  'temperature',
  'top_p',
  'stop',
  'seed',
  'frequency_penalty',
  'presence_penalty',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'response_format',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning_effort',
  'n',
]

/** Finds a field that the chosen model or its provider cannot honour: never dropped silently. */
export function checkFields(
  request: ChatRequest,
  model: ChatModel,
  refusedByProvider: string | undefined,
): Refusal | undefined {
  const unsupported =
    parameters.find((name) => asksFor(request, name) && !model.parameters.includes(name)) ??
    refusedByProvider
  if (unsupported !== undefined) return unsupportedField(unsupported, model)
  return (
    checkTemperature(request, model) ?? checkTools(request, model) ?? checkImages(request, model)
  )
}

/** A value that changes nothing is not asked for. */
function asksFor(request: ChatRequest, name: ChatParameter): boolean {
  switch (name) {
    case 'n':
      return (request.n ?? 1) > 1
    case 'response_format':
      return request.response_format !== undefined && request.response_format.type !== 'text'
    case 'logprobs':
      return request.logprobs === true
    default:
      return request[name] !== undefined
  }
}

function checkTemperature(
  request: ChatRequest,
  { id, maxTemperature }: ChatModel,
): Refusal | undefined {
  if (maxTemperature === undefined || (request.temperature ?? 0) <= maxTemperature) return undefined
  return {
    code: 'unsupported_field',
    param: 'temperature',
    message: `temperature must be at most ${maxTemperature} with ${id}.`,
  }
}

/** Conversations with tool calls need a model with tools even when they define none. */
function checkTools(request: ChatRequest, model: ChatModel): Refusal | undefined {
  const senseless = toolFieldWithoutTool(request)
  if (senseless !== undefined) return senseless
  const index = request.messages.findIndex(
    (message) =>
      message.role === 'tool' || ('tool_calls' in message && message.tool_calls !== undefined),
  )
  if (index === -1 || model.parameters.includes('tools')) return undefined
  return unsupportedField(`messages[${index}]`, model)
}

/** What providers refuse themselves, and would only refuse once it is paid. */
function toolFieldWithoutTool(request: ChatRequest): Refusal | undefined {
  const { tools, tool_choice: choice } = request
  const param = (['tool_choice', 'parallel_tool_calls'] as const).find(
    (name) => tools === undefined && request[name] !== undefined,
  )
  if (param !== undefined) {
    const message = `${param} needs tools. Give tools, or remove it.`
    return { code: 'invalid_field', param, message }
  }
  if (
    typeof choice !== 'object' ||
    tools?.some((tool) => tool.function.name === choice.function.name)
  )
    return undefined
  const message = `tool_choice.function.name ${choice.function.name} is none of tools.`
  return { code: 'invalid_field', param: 'tool_choice.function.name', message }
}

function checkImages(request: ChatRequest, model: ChatModel): Refusal | undefined {
  if (model.inputModalities.includes('image')) return undefined
  for (const [index, { content }] of request.messages.entries()) {
    const part = Array.isArray(content) ? content.findIndex(({ type }) => type === 'image_url') : -1
    if (part !== -1) return unsupportedField(`messages[${index}].content[${part}]`, model)
  }
  return undefined
}

function unsupportedField(param: string, model: ChatModel): Refusal {
  return {
    code: 'unsupported_field',
    param,
    message: `${param} cannot be honoured by ${model.id} here. Remove it or choose another model.`,
  }
}
