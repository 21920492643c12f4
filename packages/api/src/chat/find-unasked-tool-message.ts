import type { ChatMessage } from './chat-message.ts'

/**
 * The first tool message that answers no call of an assistant message before it. Every provider
 * refuses such a conversation, and would only refuse it once it is paid.
 */
export function findUnaskedAnswer(messages: readonly ChatMessage[]): number | undefined {
  const asked = new Set<string>()
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool' && !asked.has(message.tool_call_id)) return index
    if (message.role !== 'assistant') continue
    for (const { id } of message.tool_calls ?? []) asked.add(id)
  }
  return undefined
}
