import { type ChatRequest, isEmptyMessage } from '@farebox/api'
import type { ChatModel } from '@farebox/catalogs'
import type { RequestRejection } from './request-rejection.ts'

type Message = ChatRequest['messages'][number]

/**
 * Finds a tool call without a result, and with Claude a result that does not follow its call. Every
 * host of these models rejects both, but only after the payment. Hosts of open models differ.
 */
export function checkToolTurns(
  request: ChatRequest,
  { id, maker }: ChatModel,
): RequestRejection | undefined {
  const messages = [...request.messages.entries()].filter(([, one]) => !isEmptyMessage(one))
  if (maker === 'anthropic') return checkNextTurns(messages, id)
  if (maker === 'openai' && !id.includes('gpt-oss')) return findOpenCall(messages, id)
  return undefined
}

type Placed = readonly [index: number, message: Message]

/** Some hosts use OpenAI's Responses API, which accepts a result at any later place. */
function findOpenCall(messages: readonly Placed[], model: string): RequestRejection | undefined {
  const answered = new Set<string>()
  for (const [index, message] of messages.toReversed()) {
    if (message.role === 'tool') answered.add(message.tool_call_id)
    const open = callsOf(message).find((call) => !answered.has(call))
    if (open !== undefined) return openCall(index, open, `before it is sent to ${model}`)
  }
  return undefined
}

/** Claude joins consecutive messages of one role; results belong in the turn after their calls. */
function checkNextTurns(messages: readonly Placed[], model: string): RequestRejection | undefined {
  const open = new Map<string, number>()
  const called = new Set<string>()
  let before: Message['role'] | undefined
  for (const [index, message] of messages) {
    if (message.role === 'assistant' && before !== 'assistant') {
      if (open.size > 0) break
      called.clear()
    }
    for (const call of callsOf(message)) {
      called.add(call)
      open.set(call, index)
    }
    if (message.role === 'tool') {
      if (!called.has(message.tool_call_id)) return misplacedResult(index, model)
      open.delete(message.tool_call_id)
    }
    before = message.role
  }
  const [first] = open
  return first && openCall(first[1], first[0], `before the next answer for ${model}`)
}

function callsOf(message: Message): readonly string[] {
  if (message.role !== 'assistant') return []
  return (message.tool_calls ?? []).map(({ id }) => id)
}

function openCall(index: number, call: string, when: string): RequestRejection {
  const param = `messages[${index}]`
  const message = `${param} has the tool call ${JSON.stringify(call)}, which needs a result ${when}. Add the result, or remove the call.`
  return { code: 'invalid_field', param, message }
}

function misplacedResult(index: number, model: string): RequestRejection {
  const param = `messages[${index}]`
  const message = `${param} must follow the message with its tool call for ${model}. Move it there, or remove it.`
  return { code: 'invalid_field', param, message }
}
