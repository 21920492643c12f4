import type { ChatMessage, ChatRequest } from '@farebox/api'
import type { RequestLimits } from './unsupported-field.ts'

/**
 * The messages of a request without the reasoning of earlier answers that none of these providers is
 * sent: it is no part of what the request costs.
 */
export function withSentReasoning(
  { messages }: Pick<ChatRequest, 'messages'>,
  providers: readonly Pick<RequestLimits, 'messages'>[],
): ChatMessage[] {
  const sent = new Set(providers.map(({ messages: { reasoning } }) => reasoning))
  const hasCalls = messages.some(({ role }) => role === 'tool')
  if (sent.has('text with tools') && hasCalls) return messages
  return messages.map((message) => {
    if (message.role !== 'assistant') return message
    const { reasoning: _, reasoning_content: __, reasoning_details, ...rest } = message
    const details = sent.has('details') ? reasoning_details : undefined
    return {
      ...rest,
      reasoning_details: details,
      reasoning: undefined,
      reasoning_content: undefined,
    }
  })
}
