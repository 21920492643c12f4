import type { ChatMessage } from '@farebox/api'

const answer: ChatMessage = {
  role: 'assistant',
  content: 'OK.',
  name: undefined,
  tool_calls: undefined,
  reasoning: undefined,
  reasoning_content: undefined,
  reasoning_details: undefined,
}

/**
 * A conversation for providers that require an answer between the result of a tool and a message of
 * the user.
 */
export function withAnswers(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  return messages.flatMap((message, index) => {
    const isEarly = message.role === 'user' && messages[index - 1]?.role === 'tool'
    return isEarly ? [answer, message] : [message]
  })
}
