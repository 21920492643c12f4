import type { ChatMessage } from '@farebox/api'

/**
 * A conversation in which each call has its own id, as Claude requires: some servers count the calls
 * of each answer from 0, and some give all of them one id. Their results come in the same order.
 * https://github.com/anomalyco/opencode/issues/1279
 */
export function distinctCallIds(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const calls = new Map<string, number>()
  const results = new Map<string, number>()
  const called = (id: string): string => {
    const count = (calls.get(id) ?? 0) + 1
    calls.set(id, count)
    return useOf(id, count)
  }
  const answered = (id: string): string => {
    const count = (results.get(id) ?? 0) + 1
    if (count > (calls.get(id) ?? 0)) return id
    results.set(id, count)
    return useOf(id, count)
  }
  return messages.map((message) => {
    if (message.role === 'tool') return { ...message, tool_call_id: answered(message.tool_call_id) }
    if (message.role !== 'assistant' || message.tool_calls === undefined) return message
    return {
      ...message,
      tool_calls: message.tool_calls.map((call) => ({ ...call, id: called(call.id) })),
    }
  })
}

/** Claude takes no space in an id, so an id with one is replaced by its hash. */
function useOf(id: string, count: number): string {
  return count === 1 ? id : `${id} ${count}`
}
