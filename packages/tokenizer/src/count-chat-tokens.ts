import type { ChatExtras, ChatMessage } from './chat-message.ts'
import { planChat, sumChat } from './chat-plan.ts'
import type { Counter } from './counter.ts'
import type { TokenCount } from './token-count.ts'

/** The input tokens of a chat: its texts, the framing of the family, tools and format. */
export function countChatTokens(
  messages: readonly ChatMessage[],
  counter: Counter,
  extras: ChatExtras = {},
): TokenCount {
  const plan = planChat(messages, counter.framing, extras)
  return sumChat(
    plan,
    plan.texts.map((text) => counter.countText(text)),
  )
}
