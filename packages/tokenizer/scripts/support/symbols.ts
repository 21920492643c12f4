import type { HuggingFaceTokenizer } from '../../src/convert/hugging-face-tokenizer.ts'
import { fuzzString } from '../../test/support/fuzz.ts'
import { seeded } from '../../test/support/seeded.ts'

/** An added token of a `tokenizer.json`. */
export type AddedToken = {
  readonly content: string
  readonly special: boolean
  readonly normalized: boolean
}

/**
 * The added tokens that are matched in ordinary text before its characters merge. `normalized` makes
 * Hugging Face's implementation match them after spaces have become U+2581, as SentencePiece does;
 * without it, a run of spaces would not match.
 */
export function symbolsOf({
  model,
  added_tokens: added,
}: Pick<HuggingFaceTokenizer, 'added_tokens'> & {
  readonly model: { readonly byte_fallback?: boolean }
}): readonly AddedToken[] {
  if (model.byte_fallback !== true) return []
  return added
    .filter(({ special }) => special !== true)
    .map((token) => ({ ...token, special: false, normalized: true }))
}

/** Texts that mix symbols, parts of symbols, runs and fuzz. */
export function symbolStrings(symbols: readonly string[], count: number): readonly string[] {
  const random = seeded(11)
  const { below, pick } = random
  const parts = [
    () => pick([' ', '\n', '\t', '\u2581']).repeat(1 + below(70)),
    () => pick(symbols),
    () => pick(symbols).slice(0, 1 + below(8)),
    () => pick(['<', '</', '> </', '[', '<0x41>', 'word', ' word', 'é', ' yyyy', '\r\n', '<bos>']),
    () => fuzzString(random),
  ]
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + below(12) }, () => pick(parts)()).join(''),
  )
}
