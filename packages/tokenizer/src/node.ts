export type { FactorsByCounter } from './pool/count-job.ts'
export {
  createTokenCounter,
  TokenCounterClosedError,
  TokenQueueFullError,
} from './pool/create-token-counter.ts'
export type {
  CountChatInput,
  CountEnd,
  PooledTokenCount,
  TokenCounter,
  TokenCounterOptions,
} from './pool/token-counter.ts'
export { TokenWorkerError } from './pool/worker-pool.ts'
export type { VocabularyFiles } from './vocabulary/vocabulary-store.ts'
