import { type ChatMessage, type ChatRequest, withoutMark } from '@farebox/api'
import type { ChatCall } from '../provider/chat-provider.ts'
import { type ReasoningDetail, reasoningFormats } from '../reasoning/reasoning-detail.ts'
import { detailsInFormat } from '../reasoning/returned-reasoning.ts'
import { jsonBody } from '../transport/json-body.ts'
import { describedSchema } from '../wire/described-schema.ts'
import { isRecord, parseJson, textAt } from '../wire/json-reading.ts'
import { mappedCallId } from '../wire/mapped-call-id.ts'
import { dataUrlParts, messageText, systemText } from '../wire/message-text.ts'
import { distinctCallIds } from './distinct-call-ids.ts'
import { placeInstructions } from './placed-instructions.ts'
import { textBlocks } from './text-blocks.ts'
import { type ThoughtBinding, thinkingOf } from './thinking.ts'
import { inOrder, placeOf } from './thought-place.ts'

/** The body of `POST /v1/messages`: no server tools, which cost extra. */
export function requestBody(call: ChatCall, { thoughts, thinking }: ThoughtBinding): string {
  const { request } = call
  const placed = placeInstructions(request.messages, call.upstreamModel)
  const system = instructions(placed.instructions)
  const turns = conversation(placed.turns)
  const messages = withTrimmedEnd(thoughts === 'sent' ? turns : withoutThoughts(turns))
  return jsonBody({
    model: call.upstreamModel,
    max_tokens: call.maxTokens,
    stream: true,
    ...(messages.length > 0
      ? { ...(system !== '' && { system }), messages }
      : { messages: [{ role: 'user', content: system }] }),
    ...sampling(call),
    thinking,
    output_config: outputConfig(request),
    ...tools(request),
  })
}

/** Text, or its blocks if any of them is marked. */
function instructions(given: readonly ChatMessage[]): string | readonly object[] {
  const blocks = given.flatMap(textBlocks)
  return blocks.some(({ cache_control: mark }) => mark !== undefined) ? blocks : systemText(given)
}

/**
 * Newer models reject temperature and top_p together, so a default temperature yields to top_p, and to
 * thinking, which takes none.
 */
function sampling(call: ChatCall): object {
  const { request, temperature } = call
  const { top_p, stop } = request
  const thinking = thinkingOf(call)?.type ?? 'disabled'
  const yields = top_p !== undefined || thinking !== 'disabled'
  const sent = yields && request.temperature === undefined ? undefined : temperature
  return {
    temperature: sent === undefined ? undefined : Math.min(1, sent),
    top_p,
    stop_sequences: typeof stop === 'string' ? [stop] : stop,
  }
}

function outputConfig({ reasoning_effort, response_format }: ChatRequest): object | undefined {
  const effort = reasoning_effort === 'none' ? undefined : reasoning_effort
  const format =
    response_format?.type === 'json_schema'
      ? { type: 'json_schema', schema: describedSchema(response_format) }
      : undefined
  return effort === undefined && format === undefined ? undefined : { effort, format }
}

function tools(request: ChatRequest): object {
  if (request.tools === undefined) return {}
  return {
    tools: request.tools.map(({ function: tool, cache_control }) => ({
      name: tool.name,
      description: tool.description,
      input_schema: { type: 'object', ...(tool.parameters ?? { properties: {} }) },
      strict: tool.strict,
      cache_control,
    })),
    tool_choice: toolChoice(request),
  }
}

function toolChoice({ tool_choice, parallel_tool_calls }: ChatRequest): object | undefined {
  if (tool_choice === 'none') return { type: 'none' }
  const alone = parallel_tool_calls === false ? { disable_parallel_tool_use: true } : {}
  if (tool_choice === 'required') return { type: 'any', ...alone }
  if (typeof tool_choice === 'object') {
    return { type: 'tool', name: tool_choice.function.name, ...alone }
  }
  return parallel_tool_calls === false ? { type: 'auto', ...alone } : undefined
}

type Turn = { readonly role: 'user' | 'assistant' | 'system'; readonly content: readonly object[] }

/** Results of several tools belong in one turn of the user, and thoughts in that of their text. */
function conversation(messages: readonly ChatMessage[]): readonly Turn[] {
  const turns: (Turn & { readonly content: object[] })[] = []
  let before: ChatMessage['role'] | undefined
  for (const message of distinctCallIds(messages)) {
    const { role, content } = turnOf(message)
    const last = turns.at(-1)
    const isResult = message.role === 'tool' && before === 'tool'
    const isRest = role === 'assistant' && last?.role === role && last.content.every(isThought)
    if (last !== undefined && (isResult || isRest)) {
      for (const block of content) last.content.push(block)
    } else turns.push({ role, content: [...content] })
    before = message.role
  }
  return turns
}

function withoutThoughts(turns: readonly Turn[]): readonly Turn[] {
  return turns.flatMap(({ role, content }) => {
    const kept = content.filter((block) => !isThought(block))
    return kept.length === 0 ? [] : [{ role, content: kept }]
  })
}

/** The API rejects a last turn of the assistant that ends with white space or holds thoughts. */
function withTrimmedEnd(turns: readonly Turn[]): readonly Turn[] {
  const last = turns.at(-1)
  if (last?.role !== 'assistant') return turns
  const content = last.content.filter((block) => !isThought(block))
  for (let end = content.pop(); end !== undefined; end = content.pop()) {
    const text = 'text' in end && typeof end.text === 'string' ? end.text.trimEnd() : undefined
    if (text === '') continue
    content.push(text === undefined ? end : { ...end, text })
    break
  }
  return [...turns.slice(0, -1), { ...last, content }]
}

function turnOf(message: ChatMessage): Turn {
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content: textBlocks(message) }
    case 'user':
      return { role: 'user', content: userBlocks(message) }
    case 'tool':
      return { role: 'user', content: [toolResult(message)] }
    case 'assistant':
      return { role: 'assistant', content: assistantBlocks(message) }
  }
}

function toolResult(message: Extract<ChatMessage, { role: 'tool' }>): object {
  const { content, tool_call_id: id } = message
  const parts = typeof content === 'string' ? [] : content
  const hasImages = parts.some(({ type }) => type === 'image_url')
  return {
    type: 'tool_result',
    tool_use_id: callId(id),
    content: hasImages ? userBlocks({ content: withoutMarks(parts) }) : messageText(message),
    cache_control: parts.findLast(({ cache_control: mark }) => mark !== undefined)?.cache_control,
  }
}

type UserContent = Pick<Extract<ChatMessage, { role: 'user' }>, 'content'>

function withoutMarks<Part extends { readonly cache_control?: unknown }>(
  parts: readonly Part[],
): Part[] {
  return parts.map((part) => withoutMark(part))
}

function userBlocks({ content }: UserContent): readonly object[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return content.map((part) =>
    part.type === 'text'
      ? { type: 'text', text: part.text, cache_control: part.cache_control }
      : {
          type: 'image',
          source: imageSource(part.image_url.url),
          cache_control: part.cache_control,
        },
  )
}

function imageSource(url: string): object {
  const parts = dataUrlParts(url)
  if (parts === undefined) return { type: 'url', url }
  return { type: 'base64', media_type: parts.mediaType, data: parts.data }
}

/** Ids of other providers may hold characters that the API rejects. */
function callId(id: string): string {
  return mappedCallId(id, /^[A-Za-z0-9_-]{1,64}$/, 24)
}

function assistantBlocks(message: Extract<ChatMessage, { role: 'assistant' }>): readonly object[] {
  const thoughts = detailsInFormat(message, reasoningFormats.anthropic).flatMap((detail) => {
    const block = thoughtOf(detail)
    return block === undefined ? [] : [{ block, place: placeOf(textAt(detail, 'id')) }]
  })
  const calls = (message.tool_calls ?? []).map((call) => {
    const input = parseJson(call.function.arguments)
    return {
      type: 'tool_use',
      id: callId(call.id),
      name: call.function.name,
      input: isRecord(input) ? input : {},
      cache_control: call.cache_control,
    }
  })
  return inOrder(thoughts, textBlocks(message), calls)
}

/** A thought as it came: the API rejects one without the signature of its text. */
function thoughtOf(detail: ReasoningDetail): object | undefined {
  const data = textAt(detail, 'data')
  if (data !== undefined) return { type: 'redacted_thinking', data }
  const signature = textAt(detail, 'signature')
  if (signature === undefined) return undefined
  return { type: 'thinking', thinking: detail.text ?? '', signature }
}

function isThought(block: object): boolean {
  return 'type' in block && (block.type === 'thinking' || block.type === 'redacted_thinking')
}
