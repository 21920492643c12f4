import {
  type ChatRequest,
  isNeutral,
  maxLevels,
  neutralValue as neutralChatValue,
} from '@farebox/api'
import { type ChatModel, type ChatParameter, chatParameters } from '@farebox/catalogs'
import { findLooseObject, type StrictRule } from '../schema/find-loose-object.ts'
import { checkToolTurns } from './check-tool-turns.ts'
import { reasonsOnlyOnRequest } from './reasons-only-on-request.ts'
import type { RequestRejection } from './request-rejection.ts'

/** Drops fields whose value requests nothing, since a model may reject their mere presence. */
export function withoutNeutralFields(request: ChatRequest, model: ChatModel): ChatRequest {
  const dropped = chatParameters.filter(
    (name) => !model.parameters.includes(name) && asksNothing(request, name, model),
  )
  return { ...request, ...Object.fromEntries(dropped.map((name) => [name, undefined])) }
}

function asksNothing(request: ChatRequest, name: ChatParameter, model: ChatModel): boolean {
  return takesNeutral(name, model) && isNeutral(request, name)
}

/** A model that can reason without being asked is changed by `none`. */
function takesNeutral(field: string, model: ChatModel): boolean {
  return field !== 'reasoning_effort' || reasonsOnlyOnRequest(model)
}

/** The value with which a caller's field requests nothing, if a single one does. */
export type NeutralValue = (field: string) => string | number | boolean | undefined

export type FieldChecks = {
  readonly unsupportedByProvider?: string | undefined
  /** For the advice; of a chat completion if omitted. */
  readonly neutralValue?: NeutralValue | undefined
}

/** Finds a field that the chosen model or its provider does not support: none is dropped silently. */
export function checkFields(
  request: ChatRequest,
  model: ChatModel,
  { unsupportedByProvider, neutralValue = neutralChatValue }: FieldChecks = {},
): RequestRejection | undefined {
  const unsupported =
    chatParameters.find(
      (name) => request[name] !== undefined && !model.parameters.includes(name),
    ) ?? unsupportedByProvider
  if (unsupported !== undefined) {
    return (
      unsupportedEffort(unsupported, request, model) ??
      unsupportedImage(unsupported, request, model) ??
      unsupportedArguments(unsupported, model) ??
      unsupportedTogether(unsupported, request, model) ??
      unsupportedFormat(unsupported, request, model) ??
      unsupportedField(
        unsupported,
        model,
        takesNeutral(unsupported, model) ? neutralValue(unsupported) : undefined,
      )
    )
  }
  return (
    checkTemperature(request, model) ??
    checkEffort(request, model) ??
    checkSchema(request, model) ??
    checkStrictSchemas(request, model) ??
    checkTools(request, model) ??
    checkToolTurns(request, model) ??
    checkLastMessage(request, model) ??
    checkBlankText(request, model) ??
    checkImages(request, model)
  )
}

/** The model supports efforts, but not this one. */
function unsupportedEffort(
  param: string,
  { reasoning_effort: effort }: ChatRequest,
  { id, parameters: known }: ChatModel,
): RequestRejection | undefined {
  if (param !== 'reasoning_effort' || !known.includes(param)) return undefined
  const message = `${param} ${JSON.stringify(effort)} is not supported with ${id}. Use another, such as high, or remove it.`
  return { code: 'unsupported_field', param, message }
}

function unsupportedArguments(param: string, { id }: ChatModel): RequestRejection | undefined {
  if (!param.endsWith('.function.arguments')) return undefined
  const message = `${param} must be a JSON object of at most ${maxLevels} levels for ${id}. Correct the call, or choose another model.`
  return { code: 'unsupported_field', param, message }
}

/** An image of another type, or at a URL that neither the gateway nor the provider fetches. */
function unsupportedImage(
  param: string,
  { messages }: ChatRequest,
  { id }: ChatModel,
): RequestRejection | undefined {
  const [, index, at] = /\[(\d+)\]\.content\[(\d+)\]\.image_url\.url$/.exec(param) ?? []
  if (index === undefined || at === undefined) return undefined
  const { content } = messages[Number(index)] ?? {}
  const part = typeof content === 'string' ? undefined : content?.[Number(at)]
  const isSent = part?.type === 'image_url' && part.image_url.url.startsWith('data:')
  const message = isSent
    ? `${param} must be a PNG, JPEG or WebP image for ${id}. Convert it, or choose another model.`
    : `${param} must be a data: URL for ${id}. Send the image itself, or choose another model.`
  return { code: 'unsupported_field', param, message }
}

/** The model supports the field, but not with the other fields of this request. */
function unsupportedTogether(
  param: string,
  { tools, tool_choice: choice, reasoning_effort: effort }: ChatRequest,
  { id, parameters }: ChatModel,
): RequestRejection | undefined {
  if (param === 'messages') {
    const message = `${param} must have the word JSON for ${id} with response_format json_object. Ask for JSON in one of them, or use json_schema.`
    return { code: 'invalid_field', param, message }
  }
  if (!parameters.some((name) => name === param)) return undefined
  if (param === 'response_format' && tools !== undefined) {
    const message = `${param} is not supported together with tools for ${id}. Remove one of them, or choose another model.`
    return { code: 'unsupported_field', param, message }
  }
  if (param === 'stop') {
    const message = `${param} must have at most 4 texts for ${id} here, none of white space alone. Change it, or choose another model.`
    return { code: 'unsupported_field', param, message }
  }
  const isForced = choice === 'required' || typeof choice === 'object'
  if (param !== 'tool_choice' || !isForced) return undefined
  const fix = effort === undefined ? 'Ask for the tool in the messages' : 'Remove reasoning_effort'
  const message = `${param} must be auto for ${id} here. ${fix}, or choose another model.`
  return { code: 'unsupported_field', param, message }
}

/** The model supports a format, but not this one. */
function unsupportedFormat(
  param: string,
  request: ChatRequest,
  model: ChatModel,
): RequestRejection | undefined {
  if (param !== 'response_format' || !model.parameters.includes(param)) return undefined
  const rejection = checkSchema(request, model)
  if (rejection !== undefined || request.response_format?.type !== 'json_schema') return rejection
  const message = `${param} json_schema is not supported with ${model.id} here. Use json_object and give the schema in a message, or choose another model.`
  return { code: 'unsupported_field', param, message }
}

/** Its provider would reject this too, but only after the payment. */
function checkEffort(
  { reasoning_effort: effort }: ChatRequest,
  { id, reasoning }: ChatModel,
): RequestRejection | undefined {
  if (effort !== 'none' || reasoning !== 'always') return undefined
  const param = 'reasoning_effort'
  const message = `${param} "none" is not supported with ${id}, which always reasons. Use low, or choose another model.`
  return { code: 'unsupported_field', param, message }
}

function checkTemperature(
  request: ChatRequest,
  { id, maxTemperature }: ChatModel,
): RequestRejection | undefined {
  if (maxTemperature === undefined || (request.temperature ?? 0) <= maxTemperature) return undefined
  return {
    code: 'unsupported_field',
    param: 'temperature',
    message: `temperature must be at most ${maxTemperature} for ${id}, not ${request.temperature}.`,
  }
}

/** Claude follows a JSON schema, but has no mode for JSON without one. */
function checkSchema(
  { response_format: format }: ChatRequest,
  { id, maker }: ChatModel,
): RequestRejection | undefined {
  if (maker !== 'anthropic' || format === undefined || format.type === 'text') return undefined
  if (format.type === 'json_schema' && format.json_schema.schema !== undefined) return undefined
  return {
    code: 'unsupported_field',
    param: 'response_format',
    message: `response_format must have a JSON schema for ${id}. Use type json_schema with json_schema.schema.`,
  }
}

/**
 * OpenAI and Anthropic reject a schema that they cannot enforce, but only after the payment.
 * https://platform.openai.com/docs/guides/structured-outputs,
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs
 */
function checkStrictSchemas(
  { tools = [], response_format: format }: ChatRequest,
  { id }: ChatModel,
): RequestRejection | undefined {
  const rule = strictRule(id)
  if (rule === undefined) return undefined
  const ofTools = tools.map(({ function: { strict, parameters } }, index) => ({
    param: `tools[${index}].function.parameters`,
    schema: strict === true ? parameters : undefined,
  }))
  const given = format?.type === 'json_schema' ? format.json_schema : undefined
  const isEnforced = given?.strict === true || rule === 'any required'
  const ofFormat = {
    param: 'response_format.json_schema.schema',
    schema: isEnforced ? given?.schema : undefined,
  }
  for (const { param, schema } of [...ofTools, ofFormat]) {
    const loose = findLooseObject(schema, rule)
    if (loose === undefined) continue
    const place = `${param}${loose.path}`
    const message = `${place} must have ${loose.lack} for ${id} to follow this schema strictly. Add it.`
    return { code: 'invalid_field', param: place, message }
  }
  return undefined
}

/** Open models of OpenAI run on hosts with other rules. */
function strictRule(id: string): StrictRule | undefined {
  if (id.startsWith('anthropic/')) return 'any required'
  return id.startsWith('openai/') && !id.includes('gpt-oss') ? 'all required' : undefined
}

/** A conversation with tool calls needs a model that supports tools, even if it defines none. */
function checkTools(request: ChatRequest, model: ChatModel): RequestRejection | undefined {
  const rejection =
    toolFieldWithoutTool(request) ??
    forcedToolChoice(request, model) ??
    checkToolList(request, model) ??
    repeatedTool(request, model)
  if (rejection !== undefined) return rejection
  const index = request.messages.findIndex(
    (message) =>
      message.role === 'tool' || ('tool_calls' in message && message.tool_calls !== undefined),
  )
  if (index === -1 || model.parameters.includes('tools')) return undefined
  return unsupportedField(`messages[${index}]`, model)
}

/** Providers reject these too, but only after the payment. */
function toolFieldWithoutTool(request: ChatRequest): RequestRejection | undefined {
  const { tools, tool_choice: choice } = request
  if (tools === undefined && !isNeutral(request, 'tool_choice')) {
    const message = 'tool_choice requires tools. Add tools, or remove tool_choice.'
    return { code: 'invalid_field', param: 'tool_choice', message }
  }
  if (
    typeof choice !== 'object' ||
    tools?.some((tool) => tool.function.name === choice.function.name)
  )
    return undefined
  const message = `tool_choice.function.name ${JSON.stringify(choice.function.name)} is not in tools. Use the name of one of tools.`
  return { code: 'invalid_field', param: 'tool_choice.function.name', message }
}

/**
 * From Fable 5.1 on, models that always reason reject a forced tool, and so does Sonnet 5.5.
 * https://platform.claude.com/docs/en/models/fable-5-1/migration-guide,
 * https://platform.claude.com/docs/en/models/sonnet-5-5/whats-new-sonnet-5-5
 */
function forcedToolChoice(
  { tool_choice: choice }: ChatRequest,
  { id, maker, reasoning }: ChatModel,
): RequestRejection | undefined {
  const isBound = reasoning === 'always' && !id.endsWith('/claude-fable-5')
  if (maker !== 'anthropic' || !(isBound || id.endsWith('/claude-sonnet-5.5'))) return undefined
  if (choice !== 'required' && typeof choice !== 'object') return undefined
  const message = `tool_choice must be auto or none for ${id}, which reasons by itself. Ask for the tool in the messages.`
  return { code: 'unsupported_field', param: 'tool_choice', message }
}

/** How many tools a model accepts, and how long their names may be. */
type ToolLimits = { readonly tools: number; readonly nameLength: number }

const usualToolLimits: ToolLimits = { tools: 128, nameLength: 64 }

/**
 * The limits of makers that accept more: https://github.com/google-gemini/gemini-cli/pull/26869 for
 * Gemini.
 */
const toolLimits: Readonly<Record<string, ToolLimits>> = {
  anthropic: { tools: 1024, nameLength: 128 },
  google: { tools: 512, nameLength: 64 },
}

/**
 * Agents with many tool servers exceed these limits, and providers report it only after the
 * payment.
 */
function checkToolList(
  { tools = [] }: ChatRequest,
  { id, maker }: ChatModel,
): RequestRejection | undefined {
  const limits = toolLimits[maker] ?? usualToolLimits
  if (tools.length > limits.tools) {
    const message = `tools must have at most ${limits.tools} items for ${id}, not ${tools.length}. Remove some, or choose another model.`
    return { code: 'unsupported_field', param: 'tools', message }
  }
  const index = tools.findIndex((tool) => tool.function.name.length > limits.nameLength)
  if (index === -1) return undefined
  const param = `tools[${index}].function.name`
  const message = `${param} must have at most ${limits.nameLength} characters for ${id}. Shorten it, or choose another model.`
  return { code: 'unsupported_field', param, message }
}

/** Claude and Gemini reject two tools of one name; OpenAI and hosts of open models accept them. */
function repeatedTool(
  { tools = [] }: ChatRequest,
  { id }: ChatModel,
): RequestRejection | undefined {
  if (!/\/(claude|gemini)-/.test(id)) return undefined
  const names = new Map<string, number>()
  for (const [index, { function: tool }] of tools.entries()) {
    const first = names.get(tool.name)
    names.set(tool.name, first ?? index)
    if (first === undefined) continue
    const param = `tools[${index}].function.name`
    const message = `${param} ${JSON.stringify(tool.name)} is also the name of tools[${first}], which ${id} rejects. Rename one of them, or remove it.`
    return { code: 'invalid_field', param, message }
  }
  return undefined
}

/** Claude models that reject a temperature also reject a prefilled answer. */
function checkLastMessage(
  { messages }: ChatRequest,
  { id, maker, parameters }: ChatModel,
): RequestRejection | undefined {
  if (maker !== 'anthropic' || parameters.includes('temperature')) return undefined
  if (messages.at(-1)?.role !== 'assistant') return undefined
  const param = `messages[${messages.length - 1}]`
  const message = `${param} must not be the assistant's for ${id}. End with a message of the user or of a tool.`
  return { code: 'unsupported_field', param, message }
}

/**
 * Claude rejects a text of white space alone. In an earlier answer it is left out, since models do
 * begin their answers with it. https://github.com/home-assistant/core/issues/175637
 */
function checkBlankText(
  { messages }: ChatRequest,
  { id, maker }: ChatModel,
): RequestRejection | undefined {
  if (maker !== 'anthropic') return undefined
  for (const [index, { role, content = [] }] of messages.entries()) {
    if (role === 'assistant' || role === 'tool') continue
    const texts = typeof content === 'string' ? [content] : content.map(textOfPart)
    const at = texts.findIndex((text) => !/\S/.test(text))
    if (at === -1) continue
    const part = typeof content === 'string' ? '' : `[${at}].text`
    const param = `messages[${index}].content${part}`
    const message = `${param} must contain more than white space for ${id}. Add words, or remove it.`
    return { code: 'invalid_field', param, message }
  }
  return undefined
}

type Part = Exclude<NonNullable<ChatRequest['messages'][number]['content']>, string>[number]

/** An image counts as text that is not blank. */
function textOfPart(part: Part): string {
  return part.type === 'text' ? part.text : part.type
}

function checkImages(request: ChatRequest, model: ChatModel): RequestRejection | undefined {
  if (model.inputModalities.includes('image')) return undefined
  for (const [index, { content }] of request.messages.entries()) {
    const part = Array.isArray(content) ? content.findIndex(({ type }) => type === 'image_url') : -1
    if (part !== -1) return unsupportedField(`messages[${index}].content[${part}]`, model)
  }
  return undefined
}

function unsupportedField(
  param: string,
  { id }: ChatModel,
  neutral?: ReturnType<NeutralValue>,
): RequestRejection {
  const fix =
    neutral === undefined
      ? 'Remove it or choose another model'
      : `Remove it, set it to ${JSON.stringify(neutral)}, or choose another model`
  return {
    code: 'unsupported_field',
    param,
    message: `${param} is not supported with ${id}. ${fix}.`,
  }
}
