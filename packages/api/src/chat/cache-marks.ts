import type { ChatMessage } from './chat-message.ts'
import type { ChatRequest } from './chat-request.ts'

/** A place up to which a request asks for a cache. */
export type CacheMark = {
  /** Such as `messages[0].content[1].cache_control`. */
  readonly path: string
  readonly ttl: '5m' | '1h'
}

/** The cache marks of a request in the order in which Claude reads it: tools, instructions, turns. */
export function cacheMarks({ tools = [], messages }: ChatRequest): readonly CacheMark[] {
  const ofTools = tools.flatMap((tool, index) => markOf(tool, `tools[${index}]`))
  const ofMessages = messages.map((message, index) => ({
    isInstruction: message.role === 'system' || message.role === 'developer',
    marks: [
      ...partsOf(message).flatMap((part, at) => markOf(part, `messages[${index}].content[${at}]`)),
      ...callsOf(message).flatMap((call, at) =>
        markOf(call, `messages[${index}].tool_calls[${at}]`),
      ),
    ],
  }))
  const instructions = ofMessages.filter(({ isInstruction }) => isInstruction)
  const turns = ofMessages.filter(({ isInstruction }) => !isInstruction)
  return [...ofTools, ...[...instructions, ...turns].flatMap(({ marks }) => marks)]
}

/** The same request without its cache marks. */
export function withoutCacheMarks(request: ChatRequest): ChatRequest {
  if (cacheMarks(request).length === 0) return request
  const { tools, messages } = request
  return {
    ...request,
    messages: messages.map(withoutMessageMarks),
    ...(tools && { tools: tools.map((tool) => withoutMark(tool)) }),
  }
}

/** The same message without its cache marks. */
export function withoutMessageMarks(message: ChatMessage): ChatMessage {
  if (message.role === 'user' || message.role === 'tool') {
    if (typeof message.content === 'string') return message
    return { ...message, content: message.content.map((part) => withoutMark(part)) }
  }
  if (message.role === 'assistant') {
    const { content, tool_calls: calls } = message
    return {
      ...message,
      content: Array.isArray(content) ? content.map((part) => withoutMark(part)) : content,
      tool_calls: calls?.map((call) => withoutMark(call)),
    }
  }
  if (typeof message.content === 'string') return message
  return { ...message, content: message.content.map((part) => withoutMark(part)) }
}

/** The same part, call or tool without its cache mark. */
export function withoutMark<Marked extends { readonly cache_control?: unknown }>(
  marked: Marked,
): Marked {
  return { ...marked, cache_control: undefined }
}

type Marked = { readonly cache_control?: { readonly ttl?: '5m' | '1h' | undefined } | undefined }

function markOf({ cache_control: mark }: Marked, path: string): readonly CacheMark[] {
  return mark === undefined ? [] : [{ path: `${path}.cache_control`, ttl: mark.ttl ?? '5m' }]
}

function partsOf({ content }: ChatMessage): readonly Marked[] {
  return Array.isArray(content) ? content : []
}

function callsOf(message: ChatMessage): readonly Marked[] {
  return message.role === 'assistant' ? (message.tool_calls ?? []) : []
}
