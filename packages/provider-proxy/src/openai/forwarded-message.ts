import { type ChatMessage, withoutMessageMarks } from '@farebox/api'
import { mappedCallId } from '../wire/mapped-call-id.ts'
import { messageText } from '../wire/message-text.ts'
import { forwardedReasoning } from './forwarded-reasoning.ts'
import type { ProviderProfile } from './provider-profile.ts'

/** The conversation around a message. */
export type Conversation = { readonly upstreamModel: string; readonly hasCalls: boolean }

type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>

/** A message in the shape that a provider accepts. */
export function forwardedMessage(
  given: ChatMessage,
  profile: ProviderProfile,
  conversation: Conversation,
): object {
  const message = profile.cacheMarks === 'sent' ? given : withoutMessageMarks(given)
  if (message.role === 'assistant') return assistantMessage(message, profile, conversation)
  const shaped = { ...knownFields(message, profile), ...textContent(message, profile) }
  if (message.role === 'developer' && profile.developerRole === 'system') {
    return { ...shaped, role: 'system' }
  }
  if (message.role !== 'tool') return shaped
  return { ...shaped, tool_call_id: callId(message.tool_call_id, profile) }
}

/** Field by field, since providers reject the fields of each other's responses. */
function assistantMessage(
  message: AssistantMessage,
  profile: ProviderProfile,
  conversation: Conversation,
): object {
  const { tool_calls: calls = [] } = message
  return {
    ...knownFields(message, profile),
    ...textContent(message, profile),
    tool_calls: calls.length === 0 ? undefined : calls.map((call) => toolCall(call, profile)),
    ...forwardedReasoning(message, profile.messages.reasoning, {
      ...conversation,
      format: profile.reasoningFormat,
    }),
  }
}

/** An answer's own name is dropped where the provider refuses names; any other is named in a 400. */
function knownFields(message: ChatMessage, { messageNames }: ProviderProfile): object {
  const { role, content } = message
  const speaker = 'name' in message ? message.name : undefined
  return { role, content, name: messageNames === 'supported' ? speaker : undefined }
}

function textContent(message: ChatMessage, { messages }: ProviderProfile): object {
  const { content } = message
  if (content === undefined) return messages.emptyContent === 'null' ? { content: null } : {}
  if (messages.textParts === 'kept' || typeof content === 'string') return {}
  const isText = content.every((part) => part.type === 'text')
  return isText ? { content: messageText(message) } : {}
}

type ToolCall = NonNullable<AssistantMessage['tool_calls']>[number]

/** Some providers reject a call whose arguments are empty instead of an empty object. */
function toolCall(call: ToolCall, profile: ProviderProfile): object {
  const { name, arguments: text } = call.function
  return {
    id: callId(call.id, profile),
    type: 'function',
    function: { name, arguments: text === '' ? '{}' : text },
  }
}

function callId(id: string, { messages }: ProviderProfile): string {
  return messages.callIds === 'kept' ? id : mappedCallId(id, /^[A-Za-z0-9]{9}$/, 9)
}
