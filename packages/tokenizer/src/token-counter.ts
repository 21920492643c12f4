import type { ChatExtras, ChatMessage } from './chat-message.ts'
import type { CounterName } from './counter-name.ts'
import type { TokenCount } from './token-count.ts'

/** A chat to count in the background. */
export type CountChatInput = ChatExtras & {
  readonly counter: CounterName
  readonly messages: readonly ChatMessage[]
  readonly signal?: AbortSignal | undefined
}

/** `degraded`: the CPU deadline passed; what was not counted is in `tokens` by its upper bound. */
export type PooledTokenCount = TokenCount & { readonly degraded?: 'deadline' }

export type TokenCounter = {
  readonly countChat: (input: CountChatInput) => Promise<PooledTokenCount>
  readonly countText: (counter: CounterName, text: string) => Promise<PooledTokenCount>
  readonly close: () => Promise<void>
}

export type TokenCounterOptions = {
  /** Threads for large inputs; default one less than the cores, at least one. */
  readonly workers?: number
  /** Most UTF-8 bytes that may wait or be counted at once; beyond it a count is refused. */
  readonly maxQueueBytes?: number
  /** CPU time that one count may take before the rest goes in by its upper bound. */
  readonly cpuMilliseconds?: number
  /** Memory for counts of texts already seen; 0 turns the cache off. */
  readonly cacheBytes?: number
  /** Chats up to this many UTF-16 units are counted at once, without a thread. */
  readonly inlineBytes?: number
}
