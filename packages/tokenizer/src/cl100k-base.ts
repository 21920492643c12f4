import { tokenizerOf } from './vocabulary/create-tokenizer.ts'
import { loadShippedVocabulary } from './vocabulary/shipped-vocabulary.ts'
import type { Tokenizer } from './vocabulary/tokenizer.ts'

/** GPT-3.5 Turbo, GPT-4 and the embedding models. */
export const tokenizer: Tokenizer = tokenizerOf(loadShippedVocabulary('cl100k_base'))

export const encode: Tokenizer['encode'] = tokenizer.encode
export const decode: Tokenizer['decode'] = tokenizer.decode
export const countTokens: Tokenizer['countTokens'] = tokenizer.countTokens
export const isWithinTokenLimit: Tokenizer['isWithinTokenLimit'] = tokenizer.isWithinTokenLimit
export const truncate: Tokenizer['truncate'] = tokenizer.truncate
export const streamDecoder: Tokenizer['streamDecoder'] = tokenizer.streamDecoder
export const split: Tokenizer['split'] = tokenizer.split
export const streamCounter: Tokenizer['streamCounter'] = tokenizer.streamCounter
