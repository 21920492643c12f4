import type { Framing } from '../counter/framing.ts'
import type { TokenCount } from '../counter/token-count.ts'
import type { ChatExtras, ChatMessage } from './chat-message.ts'

/** A chat split into the texts to count and the tokens that the family adds. */
export type ChatPlan = {
  readonly texts: readonly string[]
  readonly framing: TokenCount
}

const plainRoles: ReadonlySet<string> = new Set(['system', 'user', 'assistant'])

/** Tokens of OpenAI's tool preamble and of each tool, fitted; the bound doubles them. */
const toolPreamble = 24
const perTool = 12
const perToolCall = 8

/**
 * Splits a chat into texts. Special tokens separate messages, so each text is counted on its own
 * and the sum is exact. Tools, tool calls, formats and lists of parts are serialised as JSON, which
 * is an estimate for every family.
 */
export function planChat(
  messages: readonly ChatMessage[],
  framing: Framing,
  extras: ChatExtras,
): ChatPlan {
  const texts: string[] = []
  const total = { tokens: framing.fixed, slack: framing.slack.fixed }
  let plain = framing.source === 'published'
  for (const message of messages) {
    total.tokens += framing.roles?.[message.role] ?? framing.message
    total.slack += framing.slack.message
    if (message.name !== undefined) {
      total.tokens += framing.name
      texts.push(message.name)
    }
    addContent(texts, message)
    const calls = addToolCalls(texts, message)
    total.tokens += calls.tokens
    total.slack += calls.slack
    plain &&= isPlain(message)
  }
  const added = addExtras(texts, extras)
  total.tokens += added.tokens
  total.slack += added.slack
  const exact = plain && added.tokens === 0
  const upperBound = exact ? total.tokens : total.tokens + total.slack
  return {
    texts,
    framing: { tokens: total.tokens, method: exact ? 'exact' : 'estimate', upperBound },
  }
}

/** Combines the counts of the texts, in the order of `plan.texts`, into the count of the chat. */
export function sumChat(plan: ChatPlan, counts: Iterable<TokenCount>): TokenCount {
  let { tokens, method, upperBound } = plan.framing
  for (const count of counts) {
    tokens += count.tokens
    upperBound += count.upperBound
    if (count.method === 'estimate') method = 'estimate'
  }
  return { tokens, method, upperBound }
}

type Added = { readonly tokens: number; readonly slack: number }

function addContent(texts: string[], { content }: ChatMessage): void {
  if (typeof content === 'string') texts.push(content)
  else if (content !== null && content !== undefined) {
    for (const part of content) if (part.text !== undefined) texts.push(part.text)
  }
}

function addToolCalls(texts: string[], message: ChatMessage): Added {
  if (message.tool_call_id !== undefined) texts.push(message.tool_call_id)
  const calls = message.tool_calls ?? []
  for (const call of calls) {
    if (call.id !== undefined) texts.push(call.id)
    if (call.function === undefined) continue
    texts.push(call.function.name)
    if (call.function.arguments !== undefined) texts.push(call.function.arguments)
  }
  return { tokens: calls.length * perToolCall, slack: calls.length * perToolCall }
}

function addExtras(texts: string[], { tools, responseFormat }: ChatExtras): Added {
  let tokens = 0
  let slack = 0
  if (tools !== undefined && tools.length > 0) {
    const json = JSON.stringify(tools)
    texts.push(json)
    tokens += toolPreamble + perTool * tools.length
    // Templates may put a space after each comma and colon; Claude adds up to 549 tokens.
    slack += 640 + json.length * 3
  }
  const format = responseFormat === undefined ? undefined : JSON.stringify(responseFormat)
  if (format !== undefined && format !== '{"type":"text"}') {
    texts.push(format)
    tokens += perTool
    slack += perTool + format.length * 3
  }
  return { tokens, slack }
}

function isPlain(message: ChatMessage): boolean {
  return (
    plainRoles.has(message.role) &&
    typeof message.content === 'string' &&
    message.tool_calls === undefined &&
    message.tool_call_id === undefined
  )
}
