import { type ReasoningDetail, readReasoningToken } from '../wire/reasoning-token.ts'
import type {
  AssistantContent,
  CountTokensRequest,
  ToolResultBlock,
  UserContent,
} from './messages-request.ts'

type ChatMessage = Readonly<Record<string, unknown>>

export type ReadMessages = {
  readonly messages: readonly ChatMessage[]
  /** The caller's name of each message. */
  readonly origins: readonly string[]
}

/** Reads system text and messages as chat messages; each tool result becomes one of its own. */
export function readMessages({ messages, system }: CountTokensRequest): ReadMessages {
  const read = messages.flatMap((message, index) =>
    chatMessages(message).map((chat) => ({ message: chat, origin: `messages[${index}]` })),
  )
  const prompt = systemText(system)
  const all =
    prompt === ''
      ? read
      : [{ message: { role: 'system', content: prompt }, origin: 'system' }, ...read]
  return { messages: all.map(({ message }) => message), origins: all.map(({ origin }) => origin) }
}

function chatMessages(message: CountTokensRequest['messages'][number]): readonly ChatMessage[] {
  switch (message.role) {
    case 'user':
      return userMessages(message.content)
    case 'assistant':
      return [assistantMessage(message.content)]
    case 'system':
      return [{ role: 'system', content: systemText(message.content) }]
  }
}

function systemText(system: CountTokensRequest['system']): string {
  if (typeof system === 'string') return system
  return (system ?? []).map(({ text }) => text).join('\n\n')
}

/** Results come first: they answer the calls of the message before. */
function userMessages(content: UserContent): readonly ChatMessage[] {
  if (typeof content === 'string') return [{ role: 'user', content }]
  const results = content.filter((block) => block.type === 'tool_result')
  const parts = content.flatMap(userPart)
  return [
    ...results.map(toolMessage),
    ...(parts.length === 0 ? [] : [{ role: 'user', content: parts }]),
  ]
}

function userPart(block: Exclude<UserContent, string>[number]): readonly object[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: block.text }]
    case 'image':
      return [{ type: 'image_url', image_url: { url: imageUrl(block.source) } }]
    case 'tool_result':
      return []
  }
}

type ImageSource = Extract<
  Exclude<UserContent, string>[number],
  { readonly type: 'image' }
>['source']

function imageUrl(source: ImageSource): string {
  return source.type === 'url' ? source.url : `data:${source.media_type};base64,${source.data}`
}

/** The chat interface has no mark for a failed call, so the text says it. */
function toolMessage({ tool_use_id, content, is_error }: ToolResultBlock): ChatMessage {
  const text =
    typeof content === 'string' ? content : (content ?? []).map((block) => block.text).join('\n')
  const isMarked = is_error === true && !/^error/i.test(text)
  return { role: 'tool', tool_call_id: tool_use_id, content: isMarked ? `Error: ${text}` : text }
}

function assistantMessage(content: AssistantContent): ChatMessage {
  if (typeof content === 'string') return { role: 'assistant', content }
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('')
  const calls = content.flatMap((block) =>
    block.type === 'tool_use'
      ? [
          {
            id: block.id,
            type: 'function',
            function: { name: block.name, arguments: JSON.stringify(block.input) },
          },
        ]
      : [],
  )
  const details = content.flatMap(reasoningOf)
  return {
    role: 'assistant',
    ...(text !== '' && { content: text }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(details.length > 0 && { reasoning_details: details }),
  }
}

type AssistantBlock = Exclude<AssistantContent, string>[number]

/** Steps that this service sent are restored whole; a signature of Anthropic's own stays one. */
function reasoningOf(block: AssistantBlock): readonly ReasoningDetail[] {
  switch (block.type) {
    case 'thinking': {
      const known = readReasoningToken(block.signature ?? '')
      const text = block.thinking
      if (known === undefined) {
        const signature = block.signature ? { signature: block.signature } : {}
        return [{ type: 'reasoning.text', text, ...signature }]
      }
      return [{ ...known, [known.type === 'reasoning.summary' ? 'summary' : 'text']: text }]
    }
    case 'redacted_thinking': {
      const known = readReasoningToken(block.data)
      return [known ?? { type: 'reasoning.encrypted', data: block.data }]
    }
    default:
      return []
  }
}
