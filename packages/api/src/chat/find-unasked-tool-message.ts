import type { ChatMessage } from './chat-message.ts'

/**
 * The first tool message that does not belong to a tool call of an earlier assistant message. Every
 * provider rejects such a conversation, but only after it has been paid for.
 */
export function findUnaskedToolMessage(messages: readonly ChatMessage[]): number | undefined {
  const called = new Set<string>()
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool' && !called.has(message.tool_call_id)) return index
    if (message.role !== 'assistant') continue
    for (const { id } of message.tool_calls ?? []) called.add(id)
  }
  return undefined
}
