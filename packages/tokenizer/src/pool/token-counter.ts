import type { ChatExtras, ChatMessage } from '../chat/chat-message.ts'
import type { CounterName } from '../counter/counter-name.ts'
import type { TokenCount } from '../counter/token-count.ts'
import type { VocabularyFiles } from '../vocabulary/vocabulary-store.ts'
import type { FactorsByCounter } from './count-job.ts'

/** A chat to count. */
export type CountChatInput = ChatExtras & {
  readonly counter: CounterName
  readonly messages: readonly ChatMessage[]
  /** Stops the count once the chat is known to have more tokens than this. */
  readonly atMost?: number | undefined
  /** Cancels the count; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/**
 * What ended a count early. `deadline`: `tokens` includes the upper bound of what was not counted.
 * `limit`: `tokens` is more than `atMost`, and does not include what was not counted.
 */
export type CountEnd = 'deadline' | 'limit'

/** A count, and what ended it early, if anything did. */
export type PooledTokenCount = TokenCount & { readonly degraded?: CountEnd }

/**
 * Counts of all families. They reject with TokenQueueFullError, TokenWorkerError,
 * TokenCounterClosedError, the reason of the signal, or a TypeError for an argument of a wrong type.
 */
export type TokenCounter = {
  readonly countChat: (input: CountChatInput) => Promise<PooledTokenCount>
  readonly countText: (counter: CounterName, text: string) => Promise<PooledTokenCount>
  /** Whether a counter counts a text exactly: it does if it has the model's own vocabulary. */
  readonly textMethod: (counter: CounterName) => TokenCount['method']
  /** Stops the threads and rejects the counts in progress. */
  readonly close: () => Promise<void>
}

/** The limits of a token counter, and the files that it counts with. */
export type TokenCounterOptions = {
  /** Threads for large inputs. Defaults to one less than the cores, at least one. */
  readonly workers?: number
  /** Memory of the texts that wait or are being counted. Defaults to 256 MiB. */
  readonly maxQueueBytes?: number
  /** Thread time of one input in milliseconds; the rest has an upper bound. Defaults to 2,000. */
  readonly cpuMilliseconds?: number
  /** Memory of the cache of counts. Defaults to 8 MiB; 0 turns the cache off. */
  readonly cacheBytes?: number
  /** Inputs up to this many UTF-16 units are counted inline. Defaults to 32,768. */
  readonly inlineBytes?: number
  /** Table files of vocabularies that are not shipped, created by `farebox-tokenizer convert`. */
  readonly vocabularies?: VocabularyFiles
  /** Factors fitted by `farebox-tokenizer calibrate`, in place of those shipped. */
  readonly factors?: FactorsByCounter
}
