import type { ChatMessage } from './chat-message.ts'

/** Whether an assistant message has no text and no tool calls: one cut short while reasoning. */
export function isEmptyMessage(message: ChatMessage | undefined): boolean {
  if (message?.role !== 'assistant') return false
  return message.content === undefined && message.tool_calls === undefined
}
