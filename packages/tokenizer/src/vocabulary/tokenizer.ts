import type { EncodingName } from '../engine/encoding-name.ts'

/**
 * One vocabulary, ready to count. Special-token strings are ordinary text, lone surrogates count
 * as U+FFFD, and no string makes any of these functions throw.
 */
export type Tokenizer = {
  readonly encoding: EncodingName
  /** The token ids of a text. */
  readonly encode: (text: string) => readonly number[]
  /** The text of token ids; bytes that are not UTF-8 become U+FFFD. Unknown ids throw. */
  readonly decode: (tokens: Iterable<number>) => string
  /** How many tokens a text has, without building them. */
  readonly countTokens: (text: string) => number
  /** The count if it is at most `limit`, else `false`; stops reading soon after the limit. */
  readonly isWithinTokenLimit: (text: string, limit: number) => number | false
}
