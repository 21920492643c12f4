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
 * A conversation for providers that reject instructions at its end or after an answer or a result,
 * and a message of the user after a result: the instructions become messages of the user, and an
 * answer comes between. https://github.com/mistralai/mistral-common: `_validate_message_order`
 */
export function alternatingTurns(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const shaped = messages.map((message, index): ChatMessage => {
    const isInstruction = message.role === 'system' || message.role === 'developer'
    if (!isInstruction || mayInstruct(messages, index)) return message
    return { role: 'user', content: message.content, name: undefined }
  })
  return shaped.flatMap((message, index) => {
    const isEarly = message.role === 'user' && shaped[index - 1]?.role === 'tool'
    return isEarly ? [answer, message] : [message]
  })
}

function mayInstruct(messages: readonly ChatMessage[], index: number): boolean {
  const { role } = messages[index - 1] ?? {}
  return index < messages.length - 1 && role !== 'assistant' && role !== 'tool'
}
