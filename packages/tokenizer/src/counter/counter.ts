import type { EncodingName } from '../engine/encoding-name.ts'
import type { Tokenizer } from '../vocabulary/tokenizer.ts'
import { withAddedTokens } from './added-tokens.ts'
import type { CounterName } from './counter-name.ts'
import { factorsOn, specOf } from './counter-specs.ts'
import { type EstimateFactors, meanFactor, requireFactors } from './estimate-factors.ts'
import type { Framing } from './framing.ts'
import { marginOf, type TextMargin } from './text-margin.ts'
import { profileText } from './text-profile.ts'
import type { TokenCount } from './token-count.ts'
import { type NormalForm, upperBound } from './upper-bound.ts'

/** Counts the texts of one model family; `countChatTokens` adds the family's framing. */
export type Counter = {
  readonly name: CounterName
  readonly framing: Framing
  readonly countText: (text: string) => TokenCount
}

/** The vocabularies that a counter can use, best first. */
export function encodingsOf(name: CounterName): readonly EncodingName[] {
  const { encoding, ownEncoding } = specOf(name)
  return ownEncoding === undefined ? [encoding] : [ownEncoding, encoding]
}

/**
 * Creates the counter `name` on a loaded vocabulary; `calibrated` replaces the factors of an estimate
 * and adds its tokens to the framing.
 *
 * @throws CounterVocabularyError if `tokenizer` is not one of `encodingsOf(name)`; TypeError if a
 * factor is not a number above 0.
 */
export function createCounter(
  name: CounterName,
  tokenizer: CountingTokenizer,
  calibrated?: EstimateFactors,
): Counter {
  const spec = specOf(name)
  requireTokenizer(tokenizer)
  requireFactors('calibrated', calibrated)
  const shipped = factorsOn(name, tokenizer.encoding)
  if (shipped === undefined) throw new CounterVocabularyError(name, tokenizer.encoding)
  const factors = shipped === null ? null : (calibrated ?? shipped)
  const countText =
    factors === null
      ? (text: string): TokenCount => exactCount(tokenizer.countTokens(text))
      : (text: string): TokenCount =>
          estimatedCount(text, tokenizer, {
            factors,
            normalForms: spec.normalForms ?? [],
            margin: spec.margin,
          })
  return { name, framing: framingOn(name, tokenizer.encoding, calibrated), countText }
}

/** The framing of a counter. With the model's own vocabulary it adds more: texts have no margin. */
export function framingOn(
  name: CounterName,
  encoding: EncodingName,
  calibrated: EstimateFactors | undefined,
): Framing {
  const { framing, ownEncoding, ownFraming = framing } = specOf(name)
  return withAddedTokens(encoding === ownEncoding ? ownFraming : framing, calibrated?.framing)
}

type CountingTokenizer = Pick<Tokenizer, 'encoding' | 'countTokens'>

function exactCount(tokens: number): TokenCount {
  return { tokens, method: 'exact', upperBound: tokens }
}

function requireTokenizer(tokenizer: Partial<CountingTokenizer> | undefined): void {
  if (typeof tokenizer?.countTokens === 'function') return
  throw new TypeError('tokenizer must be a tokenizer, such as that of createTokenizer')
}

/** A negative count means that the tokenizer was stopped; it is passed on. */
function estimatedCount(
  text: string,
  tokenizer: CountingTokenizer,
  { factors, normalForms, margin }: EstimateRule,
): TokenCount {
  const counted = tokenizer.countTokens(text)
  if (counted < 0) return { tokens: counted, method: 'estimate', upperBound: 0 }
  const profile = profileText(text)
  const estimate = Math.ceil(counted * meanFactor(factors, profile))
  const safe = upperBound(text, profile.bytes, normalForms)
  const growth = safe - profile.bytes
  const most =
    margin === undefined ? safe : Math.min(safe, marginOf(margin, estimate, profile) + growth)
  return { tokens: Math.min(estimate, most), method: 'estimate', upperBound: most }
}

type EstimateRule = {
  readonly factors: EstimateFactors
  readonly normalForms: readonly NormalForm[]
  readonly margin: TextMargin | undefined
}

/** A counter was requested on a vocabulary that it does not support. */
export class CounterVocabularyError extends Error {
  override readonly name = 'CounterVocabularyError'
  readonly code = 'counter_vocabulary'

  constructor(counter: CounterName, encoding: EncodingName) {
    super(`The counter ${counter} does not support the vocabulary ${encoding}`)
  }
}
