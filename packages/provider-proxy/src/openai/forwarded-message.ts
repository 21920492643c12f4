import type { ChatMessage } from '@farebox/api'
import { mappedCallId } from '../wire/mapped-call-id.ts'
import { messageText } from '../wire/message-text.ts'
import type { ProviderProfile } from './provider-profile.ts'

/** A message in the shape that a provider accepts. */
export function forwardedMessage(message: ChatMessage, profile: ProviderProfile): object {
  const shaped = { ...knownFields(message, profile), ...textContent(message, profile) }
  switch (message.role) {
    case 'developer':
      return profile.developerRole === 'kept' ? shaped : { ...shaped, role: 'system' }
    case 'assistant':
      return { ...shaped, tool_calls: message.tool_calls?.map((call) => toolCall(call, profile)) }
    case 'tool':
      return { ...shaped, tool_call_id: callId(message.tool_call_id, profile) }
    default:
      return shaped
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

type ToolCall = NonNullable<Extract<ChatMessage, { role: 'assistant' }>['tool_calls']>[number]

/** Some providers reject a call whose arguments are empty instead of an empty object. */
function toolCall(call: ToolCall, profile: ProviderProfile): ToolCall {
  const { name, arguments: text } = call.function
  return {
    ...call,
    id: callId(call.id, profile),
    function: { name, arguments: text === '' ? '{}' : text },
  }
}

function callId(id: string, { messages }: ProviderProfile): string {
  return messages.callIds === 'kept' ? id : mappedCallId(id, /^[A-Za-z0-9]{9}$/, 9)
}
