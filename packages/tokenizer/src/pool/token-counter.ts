import type { ChatExtras, ChatMessage } from '../chat/chat-message.ts'
import type { CounterName } from '../counter/counter-name.ts'
import type { TokenCount } from '../counter/token-count.ts'
import type { VocabularyFiles } from '../vocabulary/vocabulary-store.ts'
import type { FactorsByCounter } from './count-job.ts'

/** A chat to count. */
export type CountChatInput = ChatExtras & {
  readonly counter: CounterName
  readonly messages: readonly ChatMessage[]
  /** Ends the wait and the work; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** `degraded`: the deadline passed; what was not counted is in `tokens` by its upper bound. */
export type PooledTokenCount = TokenCount & { readonly degraded?: 'deadline' }

export type TokenCounter = {
  readonly countChat: (input: CountChatInput) => Promise<PooledTokenCount>
  readonly countText: (counter: CounterName, text: string) => Promise<PooledTokenCount>
  /** How a counter counts a text alone: exactly where it has the model's own vocabulary. */
  readonly textMethod: (counter: CounterName) => TokenCount['method']
  /** Ends the threads; what still waits is rejected. */
  readonly close: () => Promise<void>
}

export type TokenCounterOptions = {
  /** Threads for large inputs; by default one less than the cores, at least one. */
  readonly workers?: number
  /** Memory of the texts that may wait or be counted at once; 256 MiB by default. */
  readonly maxQueueBytes?: number
  /** Thread time that one input may take before the rest goes in by its bound; 2,000 by default. */
  readonly cpuMilliseconds?: number
  /** Memory for counts of texts seen before, 8 MiB by default; 0 turns the cache off. */
  readonly cacheBytes?: number
  /** Inputs up to this many UTF-16 units are counted without a thread; 32,768 by default. */
  readonly inlineBytes?: number
  /** Table files of vocabularies that are not shipped, made by `farebox-tokenizer convert`. */
  readonly vocabularies?: VocabularyFiles
  /** Factors fitted by `farebox-tokenizer calibrate`, in place of those shipped. */
  readonly factors?: FactorsByCounter
}
