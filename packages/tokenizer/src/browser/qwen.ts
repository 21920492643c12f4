import { tokenizerOf } from '../vocabulary/create-tokenizer.ts'
import type { Tokenizer } from '../vocabulary/tokenizer.ts'
import { fetchVocabulary } from './fetch-vocabulary.ts'

const vocabulary = await fetchVocabulary(new URL('../../assets/web/qwen.pack', import.meta.url))

/** Qwen 2, 2.5 and 3. */
export const tokenizer: Tokenizer = tokenizerOf(vocabulary)

export const encode: Tokenizer['encode'] = tokenizer.encode
export const decode: Tokenizer['decode'] = tokenizer.decode
export const countTokens: Tokenizer['countTokens'] = tokenizer.countTokens
export const isWithinTokenLimit: Tokenizer['isWithinTokenLimit'] = tokenizer.isWithinTokenLimit
export const truncate: Tokenizer['truncate'] = tokenizer.truncate
export const streamDecoder: Tokenizer['streamDecoder'] = tokenizer.streamDecoder
export const split: Tokenizer['split'] = tokenizer.split
export const streamCounter: Tokenizer['streamCounter'] = tokenizer.streamCounter
