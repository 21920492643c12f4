import type { ChatMessage } from './chat-message.ts'

/** Whether a message is an answer without text and tool calls, such as one cut short in its reasoning. */
export function isEmptyMessage(message: ChatMessage | undefined): boolean {
  if (message?.role !== 'assistant') return false
  return message.content === undefined && message.tool_calls === undefined
}
