import type { ChatMessage } from '@farebox/api'

/**
 * A conversation in which each call has its own id, as Claude requires: some servers count the calls
 * of each answer from 0, and some give all of them one id. Their results come in the same order.
 * https://github.com/anomalyco/opencode/issues/1279
 */
export function distinctCallIds(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const ids = messages.flatMap((message) =>
    'tool_calls' in message ? (message.tool_calls ?? []).map(({ id }) => id) : [],
  )
  if (new Set(ids).size === ids.length) return messages
  const uses = new Map<string, number>()
  const waiting = new Map<string, readonly string[]>()
  const opened = (id: string): string => {
    const count = (uses.get(id) ?? 0) + 1
    // Claude takes no space in an id, so it is replaced by its hash.
    const own = count === 1 ? id : `${id} ${count}`
    uses.set(id, count)
    waiting.set(id, [...(waiting.get(id) ?? []), own])
    return own
  }
  const answered = (id: string): string => {
    const [own = id, ...others] = waiting.get(id) ?? []
    waiting.set(id, others)
    return own
  }
  return messages.map((message) => {
    if (message.role === 'tool') return { ...message, tool_call_id: answered(message.tool_call_id) }
    if (message.role !== 'assistant' || message.tool_calls === undefined) return message
    return {
      ...message,
      tool_calls: message.tool_calls.map((call) => ({ ...call, id: opened(call.id) })),
    }
  })
}
