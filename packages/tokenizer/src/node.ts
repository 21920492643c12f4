export type { FactorsByCounter } from './count-job.ts'
export {
  createTokenCounter,
  TokenCounterClosedError,
  TokenQueueFullError,
} from './create-token-counter.ts'
export type {
  CountChatInput,
  PooledTokenCount,
  TokenCounter,
  TokenCounterOptions,
} from './token-counter.ts'
export type { VocabularyFiles } from './vocabulary-store.ts'
export { TokenWorkerError } from './worker-pool.ts'
