import { countChatTokens } from './count-chat-tokens.ts'
import { type Counter, createCounter, encodingsOf } from './counter.ts'
import type { CounterName } from './counter-name.ts'
import { tokenizerOf } from './create-tokenizer.ts'
import type { EncodingName } from './encoding-name.ts'
import { isShipped, loadShippedVocabulary } from './shipped-vocabulary.ts'
import type { TokenCounter, TokenCounterOptions } from './token-counter.ts'
import type { Tokenizer } from './tokenizer.ts'

export type {
  CountChatInput,
  PooledTokenCount,
  TokenCounter,
  TokenCounterOptions,
} from './token-counter.ts'

/** Counts on the calling thread when small, in worker threads when large. */
export function createTokenCounter(_options: TokenCounterOptions = {}): TokenCounter {
  const counters = new Map<CounterName, Counter>()
  const counterOf = (name: CounterName): Counter => {
    const counter =
      counters.get(name) ?? createCounter(name, load(encodingsOf(name).at(-1) ?? 'o200k_base'))
    counters.set(name, counter)
    return counter
  }
  return {
    countChat: async ({ counter, messages, tools, responseFormat, signal }) => {
      signal?.throwIfAborted()
      return countChatTokens(messages, counterOf(counter), { tools, responseFormat })
    },
    countText: async (counter, text) => counterOf(counter).countText(text),
    close: async () => {},
  }
}

function load(encoding: EncodingName): Tokenizer {
  return tokenizerOf(loadShippedVocabulary(isShipped(encoding) ? encoding : 'o200k_base'))
}
