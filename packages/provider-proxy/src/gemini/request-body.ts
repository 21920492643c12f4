import type { ChatMessage, ChatRequest } from '@farebox/api'
import type { ChatCall } from '../provider/chat-provider.ts'
import { reasoningFormats } from '../reasoning/reasoning-detail.ts'
import { detailsInFormat, type ReasonedMessage } from '../reasoning/returned-reasoning.ts'
import { jsonBody } from '../transport/json-body.ts'
import { describedSchema } from '../wire/described-schema.ts'
import { isRecord, parseJson, textAt } from '../wire/json-reading.ts'
import { dataUrlParts, isEmptyTurn, messageText, systemText } from '../wire/message-text.ts'

/** The body of `streamGenerateContent`. */
export function requestBody(call: ChatCall, callIds: 'sent' | 'omitted' = 'sent'): string {
  const { request } = call
  const system = systemText(request.messages)
  const given = conversation(call)
  const contents = callIds === 'sent' ? given : given.map(withoutCallIds)
  // Gemma takes no system instruction: it goes before the first text of the user.
  const folded = system !== '' && (contents.length === 0 || call.upstreamModel.startsWith('gemma'))
  return jsonBody({
    contents: folded ? withSystem(contents, system) : contents,
    ...(system !== '' && !folded && { systemInstruction: { parts: [{ text: system }] } }),
    generationConfig: generationConfig(call),
    ...tools(request),
  })
}

function generationConfig(call: ChatCall): object {
  const { request, maxTokens, temperature } = call
  const { stop, top_p, seed, frequency_penalty, presence_penalty } = request
  return {
    maxOutputTokens: maxTokens,
    temperature,
    topP: top_p,
    // 32 bits with a sign: https://ai.google.dev/api/generate-content#generationconfig
    seed: seed === undefined ? undefined : seed | 0,
    stopSequences: typeof stop === 'string' ? [stop] : stop,
    frequencyPenalty: frequency_penalty,
    presencePenalty: presence_penalty,
    ...responseFormat(request),
    thinkingConfig: thinkingConfig(call),
  }
}

/** Flash-Lite thinks for 512 tokens at least, if at all. */
const budgets = { minimal: 512, low: 1_024, medium: 8_192, high: 24_576 } as const

/**
 * Gemini 2.5 counts its thinking in tokens, later models have levels, and all show a summary on
 * request. https://firebase.google.com/docs/ai-logic/thinking
 */
function thinkingConfig({ request, upstreamModel }: ChatCall): object | undefined {
  const effort = request.reasoning_effort
  if (effort === 'none') return { thinkingBudget: 0 }
  if (effort === undefined || effort === 'xhigh' || effort === 'max') return undefined
  const includeThoughts = request.reasoning?.exclude === true ? undefined : true
  if (!upstreamModel.startsWith('gemini-2.5')) return { thinkingLevel: effort, includeThoughts }
  const budget = request.reasoning?.max_tokens ?? budgets[effort]
  return { thinkingBudget: acceptedBudget(budget, upstreamModel), includeThoughts }
}

/** The nearest budget that the model accepts: https://ai.google.dev/gemini-api/docs/thinking */
function acceptedBudget(budget: number, upstreamModel: string): number {
  const [, least, most] = budgetRanges.find(([models]) => models.test(upstreamModel)) ?? []
  return Math.min(Math.max(budget, least ?? budget), most ?? budget)
}

const budgetRanges: readonly (readonly [models: RegExp, least: number, most: number])[] = [
  [/flash-lite/, 512, 24_576],
  [/pro/, 128, 32_768],
  [/flash/, 1, 24_576],
]

function responseFormat({ response_format: format }: ChatRequest): object {
  if (format === undefined || format.type === 'text') return {}
  const schema = format.type === 'json_schema' ? describedSchema(format) : undefined
  return { responseMimeType: 'application/json', responseJsonSchema: schema }
}

function tools({ tools: given, tool_choice }: ChatRequest): object {
  if (given === undefined) return {}
  const functionDeclarations = given.map(({ function: tool }) => ({
    name: tool.name,
    description: tool.description,
    parametersJsonSchema: tool.parameters,
  }))
  const isStrict = given.some((tool) => tool.function.strict === true)
  const mode = callingMode(tool_choice) ?? (isStrict ? { mode: 'VALIDATED' } : undefined)
  return {
    tools: [{ functionDeclarations }],
    ...(mode !== undefined && { toolConfig: { functionCallingConfig: mode } }),
  }
}

/** A forced call follows its schema in any case. */
function callingMode(choice: ChatRequest['tool_choice']): object | undefined {
  if (choice === undefined || choice === 'auto') return undefined
  if (choice === 'none') return { mode: 'NONE' }
  if (choice === 'required') return { mode: 'ANY' }
  return { mode: 'ANY', allowedFunctionNames: [choice.function.name] }
}

type Content = { readonly role: 'user' | 'model'; readonly parts: readonly object[] }

function withSystem(contents: readonly Content[], system: string): readonly Content[] {
  const [first, ...rest] = contents
  if (first?.role !== 'user') return [{ role: 'user', parts: [{ text: system }] }, ...contents]
  return [{ role: 'user', parts: [{ text: system }, ...first.parts] }, ...rest]
}

function withoutCallIds({ role, parts }: Content): Content {
  return { role, parts: parts.map(withoutCallId) }
}

function withoutCallId(part: object): object {
  if ('functionCall' in part && isRecord(part.functionCall)) {
    return { ...part, functionCall: { ...part.functionCall, id: undefined } }
  }
  if ('functionResponse' in part && isRecord(part.functionResponse)) {
    return { ...part, functionResponse: { ...part.functionResponse, id: undefined } }
  }
  return part
}

/** Consecutive turns of one role are merged, since the API requires alternating roles. */
function conversation({ request, upstreamModel }: ChatCall): readonly Content[] {
  const contents: (Content & { readonly parts: object[] })[] = []
  const toolNames = new Map<string, string>()
  for (const message of request.messages) {
    if (message.role === 'system' || message.role === 'developer' || isEmptyTurn(message)) continue
    const { role, parts } = contentOf(message, toolNames, upstreamModel)
    const last = contents.at(-1)
    if (last?.role === role) for (const part of parts) last.parts.push(part)
    else contents.push({ role, parts: [...parts] })
  }
  return contents
}

type TurnMessage = Extract<ChatMessage, { role: 'user' | 'assistant' | 'tool' }>

/** A tool's result names its function, which only the preceding call has. */
function contentOf(
  message: TurnMessage,
  toolNames: Map<string, string>,
  upstreamModel: string,
): Content {
  const isRecent = isGemini3(upstreamModel)
  switch (message.role) {
    case 'user':
      return { role: 'user', parts: userParts(message) }
    case 'tool': {
      const { tool_call_id: id } = message
      const name = toolNames.get(id) ?? id
      const response = { result: messageText(message) }
      const images = userParts(message).filter((part) => !('text' in part))
      const parts = isRecent && images.length > 0 ? images : undefined
      const functionResponse = { id, name, response, parts }
      // Earlier models take images next to the result.
      return { role: 'user', parts: [{ functionResponse }, ...(isRecent ? [] : images)] }
    }
    case 'assistant':
      for (const call of message.tool_calls ?? []) toolNames.set(call.id, call.function.name)
      return { role: 'model', parts: modelParts(message, isRecent ? skipValidation : undefined) }
  }
}

/** Replaces the signature of a call that another provider made. */
const skipValidation = 'skip_thought_signature_validator'

/**
 * From Gemini 3 on, the first call of each turn must have a signature, and the result of a function
 * may hold images. https://ai.google.dev/gemini-api/docs/function-calling
 */
function isGemini3(upstreamModel: string): boolean {
  return upstreamModel.startsWith('gemini-') && !/^gemini-[12]\b/.test(upstreamModel)
}

function modelParts(
  message: Extract<ChatMessage, { role: 'assistant' }>,
  placeholder: string | undefined,
): readonly object[] {
  const text = messageText(message)
  const calls = message.tool_calls ?? []
  const signatures = signaturesOf(message)
  const ofText = signatures.get(undefined)
  const isSigned = calls.some(({ id }) => signatures.has(id))
  const ofFirst = isSigned ? undefined : ((text === '' ? ofText : undefined) ?? placeholder)
  return [
    ...(text === '' ? [] : [{ text, thoughtSignature: ofText }]),
    ...calls.map(({ id, function: { name, arguments: json } }, position) => {
      const args = parseJson(json)
      return {
        functionCall: { id, name, args: isRecord(args) ? args : {} },
        thoughtSignature: signatures.get(id) ?? (position === 0 ? ofFirst : undefined),
      }
    }),
  ]
}

/** Signatures by the id of their call; that of the text has none. */
function signaturesOf(message: ReasonedMessage): ReadonlyMap<string | undefined, string> {
  return new Map(
    detailsInFormat(message, reasoningFormats.gemini).flatMap((detail) => {
      const data = textAt(detail, 'data')
      return data === undefined ? [] : [[textAt(detail, 'id'), data]]
    }),
  )
}

function userParts({
  content,
}: Extract<ChatMessage, { role: 'user' | 'tool' }>): readonly object[] {
  if (typeof content === 'string') return [{ text: content }]
  return content.map((part) => {
    if (part.type === 'text') return { text: part.text }
    const image = dataUrlParts(part.image_url.url)
    if (image === undefined) return { fileData: { fileUri: part.image_url.url } }
    return { inlineData: { mimeType: image.mediaType, data: image.data } }
  })
}
