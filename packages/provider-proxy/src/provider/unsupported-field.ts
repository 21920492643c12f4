import {
  type ChatField,
  type ChatMessage,
  type ChatRequest,
  isDeeperThan,
  isNeutral,
  maxLevels,
} from '@farebox/api'

export type ReasoningEffort = NonNullable<ChatRequest['reasoning_effort']>

/**
 * What a provider does not support: such a request is rejected before it is paid. The estimate, the
 * quote and the upstream request read this one table; its source is the reference named in its
 * file.
 */
export type RequestLimits = {
  readonly unsupported: readonly ChatField[]
  /** Whether messages may carry the `name` of their speaker. */
  readonly messageNames: 'supported' | 'unsupported'
  /** Whether images may be given by an https URL. */
  readonly remoteImages: 'supported' | 'unsupported'
  /** The beginnings of `data:` URLs that are accepted as images. */
  readonly imageTypes: RegExp
  /** Whether images may ask for a `detail` other than `auto`. */
  readonly imageDetail: 'supported' | 'unsupported'
  /** Whether the result of a tool may hold images. */
  readonly toolImages: 'supported' | 'unsupported'
  /** Whether tools may be `strict`. */
  readonly strictTools: 'supported' | 'unsupported'
  /** The formats of `response_format` other than text. */
  readonly responseFormats: readonly ('json_object' | 'json_schema')[]
  /** The models that take a JSON schema; all of them by default. */
  readonly schemaModels?: RegExp
  /** The efforts that any of its models takes. */
  readonly efforts: readonly ReasoningEffort[]
  /** Models with other efforts; the first that matches the provider's name of the model applies. */
  readonly modelEfforts?: readonly ModelEfforts[]
  /** Models that restrict a forced tool; the first that matches the provider's name applies. */
  readonly forcedTools?: readonly ForcedTools[]
  /** Models that reject a response format together with tools. */
  readonly formatsWithoutTools?: RegExp
  /** Models that reject JSON mode unless a message has the word. */
  readonly jsonWordNeeded?: RegExp
  /** Whether a budget of reasoning tokens may be given without an effort. */
  readonly reasoningBudgets?: 'supported'
  /** Whether an effort may be given with `reasoning.enabled` false: elsewhere it would switch reasoning on. */
  readonly effortsWithoutReasoning?: 'supported'
  /** `objects`: earlier calls whose arguments are not a JSON object of at most `maxLevels` are rejected. */
  readonly callArguments?: 'objects'
  readonly messages: {
    /**
     * How the reasoning of earlier turns is sent: as `reasoning_details`, or, in conversations with
     * tool calls, as the text of `reasoning_content`.
     */
    readonly reasoning: 'dropped' | 'details' | 'text with tools'
    /** `alternate`: the user follows an answer, and an answer at the end is marked as a beginning. */
    readonly turns?: 'any' | 'alternate'
  }
  /** How many texts `stop` may have. */
  readonly maxStops: number
  /** Whether a `stop` may be white space alone. */
  readonly blankStops: 'supported' | 'unsupported'
}

/** The images that nearly every model takes. */
export const usualImages: RegExp = /^data:image\/(png|jpe?g|gif|webp)[;,]/i

/** The efforts of the models whose names match. */
export type ModelEfforts = {
  readonly models: RegExp
  readonly efforts: readonly ReasoningEffort[]
}

/**
 * How the models whose names match take a tool choice that forces a call.
 *
 * - `without reasoning`: reasoning is switched off for it
 * - `unnamed`: any tool may be required, but not a certain one
 * - `never`
 */
export type ForcedTools = {
  readonly models: RegExp
  readonly accepted: 'without reasoning' | 'unnamed' | 'never'
}

/**
 * The path of the first field that a provider does not support, such as `logit_bias` or
 * `messages[2].name`, or null. A field at its neutral value requests nothing and passes. Without
 * `upstreamModel`, the provider's name of the model, a field passes if any of its models accepts
 * it.
 */
export function unsupportedField(
  limits: RequestLimits,
  request: ChatRequest,
  upstreamModel = '',
): string | null {
  const field = limits.unsupported.find((name) => !isNeutral(request, name))
  if (field !== undefined) return field
  if (!takesEffort(limits, request, upstreamModel)) return 'reasoning_effort'
  if (!takesToolChoice(limits, request, upstreamModel)) return 'tool_choice'
  const value =
    unsupportedFormat(limits, request, upstreamModel) ?? unsupportedValue(limits, request)
  if (value !== null) return value
  for (const [position, message] of request.messages.entries()) {
    const path = unsupportedInMessage(limits, message)
    if (path !== null) return `messages[${position}].${path}`
  }
  return null
}

function takesEffort(
  { efforts, modelEfforts = [] }: RequestLimits,
  { reasoning_effort: effort }: ChatRequest,
  upstreamModel: string,
): boolean {
  if (effort === undefined) return true
  const own = modelEfforts.find(({ models }) => models.test(upstreamModel))
  return (own?.efforts ?? efforts).includes(effort)
}

/** OpenAI names `messages` too where JSON mode lacks its word. */
function unsupportedFormat(
  { formatsWithoutTools, jsonWordNeeded, schemaModels = /^/ }: RequestLimits,
  request: ChatRequest,
  upstreamModel: string,
): string | null {
  const { messages, tools, response_format: format } = request
  if (tools !== undefined && formatOf(request) !== 'text') {
    if (formatsWithoutTools?.test(upstreamModel) === true) return 'response_format'
  }
  if (formatOf(request) === 'json_schema' && upstreamModel !== '') {
    if (!schemaModels.test(upstreamModel)) return 'response_format'
  }
  if (format?.type !== 'json_object' || jsonWordNeeded?.test(upstreamModel) !== true) return null
  return messages.some(hasJsonWord) ? null : 'messages'
}

function hasJsonWord({ content = [] }: ChatMessage): boolean {
  if (typeof content === 'string') return /json/i.test(content)
  return content.some((part) => part.type === 'text' && /json/i.test(part.text))
}

function takesToolChoice(
  limits: RequestLimits,
  request: ChatRequest,
  upstreamModel: string,
): boolean {
  const { tool_choice: choice, reasoning_effort: effort = 'none' } = request
  switch (forcedTools(limits, request, upstreamModel)) {
    case 'without reasoning':
      return effort === 'none'
    case 'unnamed':
      return choice === 'required'
    case 'never':
      return false
    case undefined:
      return true
  }
}

/** How the model takes the tool choice of a request; undefined if it is as any other. */
export function forcedTools(
  { forcedTools: rules = [] }: Pick<RequestLimits, 'forcedTools'>,
  { tool_choice: choice }: ChatRequest,
  upstreamModel: string,
): ForcedTools['accepted'] | undefined {
  if (choice !== 'required' && typeof choice !== 'object') return undefined
  return rules.find(({ models }) => models.test(upstreamModel))?.accepted
}

function unsupportedValue(limits: RequestLimits, request: ChatRequest): string | null {
  const { stop = [], tools = [] } = request
  const format = formatOf(request)
  if (format !== 'text' && !limits.responseFormats.includes(format)) return 'response_format'
  const hasBudget = request.reasoning?.max_tokens !== undefined
  const isBudget = hasBudget && request.reasoning_effort === undefined
  if (isBudget && limits.reasoningBudgets === undefined) return 'reasoning.max_tokens'
  if (asksEffortAlone(request) && limits.effortsWithoutReasoning === undefined) {
    return 'reasoning.enabled'
  }
  const stops = typeof stop === 'string' ? [stop] : stop
  if (stops.length > limits.maxStops) return 'stop'
  const isBlank = stops.some((text) => text.trim() === '')
  if (limits.blankStops === 'unsupported' && isBlank) return 'stop'
  const strict = tools.findIndex((tool) => tool.function.strict === true)
  if (limits.strictTools === 'supported' || strict < 0) return null
  return `tools[${strict}].function.strict`
}

function asksEffortAlone({ reasoning, reasoning_effort: effort = 'none' }: ChatRequest): boolean {
  return reasoning?.enabled === false && effort !== 'none'
}

/** A `json_schema` without its schema asks for any JSON object. */
function formatOf({
  response_format: format,
}: ChatRequest): 'text' | 'json_object' | 'json_schema' {
  if (format?.type !== 'json_schema') return format?.type ?? 'text'
  return format.json_schema.schema === undefined ? 'json_object' : 'json_schema'
}

function unsupportedInMessage(limits: RequestLimits, message: ChatMessage): string | null {
  // The name of an earlier answer is part of the history and is left out.
  if (message.role === 'assistant') return unsupportedCall(limits, message)
  const speaker = message.role === 'tool' ? undefined : message.name
  if (limits.messageNames === 'unsupported' && speaker !== undefined) return 'name'
  if (typeof message.content === 'string') return null
  for (const [at, part] of message.content.entries()) {
    if (part.type !== 'image_url') continue
    if (message.role === 'tool' && limits.toolImages === 'unsupported') return `content[${at}]`
    const field = unsupportedInImage(limits, part.image_url)
    if (field !== null) return `content[${at}].image_url.${field}`
  }
  return null
}

function unsupportedCall(
  { callArguments }: RequestLimits,
  { tool_calls: calls = [] }: Extract<ChatMessage, { role: 'assistant' }>,
): string | null {
  if (callArguments === undefined) return null
  const at = calls.findIndex((call) => !isObject(call.function.arguments || '{}'))
  return at < 0 ? null : `tool_calls[${at}].function.arguments`
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
    // `JSON.stringify` fails on some thousand levels.
    return !isDeeperThan(value, maxLevels)
  } catch {
    return false
  }
}

type Image = { readonly url: string; readonly detail?: string | undefined }

function unsupportedInImage(limits: RequestLimits, { url, detail = 'auto' }: Image): string | null {
  if (limits.remoteImages === 'unsupported' && url.startsWith('https:')) return 'url'
  if (url.startsWith('data:') && !limits.imageTypes.test(url)) return 'url'
  return limits.imageDetail === 'unsupported' && detail !== 'auto' ? 'detail' : null
}
