import type { Counter } from '../counter/counter.ts'
import type { TokenCount } from '../counter/token-count.ts'
import type { ChatExtras, ChatMessage } from './chat-message.ts'
import { planChat, sumChat } from './chat-plan.ts'

/** Counts the input tokens of a chat: its texts, the family's framing, tools and format. */
export function countChatTokens(
  messages: readonly ChatMessage[],
  counter: Counter,
  extras: ChatExtras = {},
): TokenCount {
  requireCounter(counter)
  const plan = planChat(messages, counter.framing, extras)
  return sumChat(
    plan,
    plan.texts.map((text) => counter.countText(text)),
  )
}

function requireCounter(counter: Partial<Counter> | undefined): void {
  if (typeof counter?.countText === 'function' && counter.framing !== undefined) return
  throw new TypeError('counter must be a counter, such as that of createCounter')
}
