import type { EncodingName } from '../engine/encoding-name.ts'

/**
 * One vocabulary, ready to count. Special-token strings are ordinary text, lone surrogates count
 * as U+FFFD, and these functions never throw on any string.
 */
export type Tokenizer = {
  readonly encoding: EncodingName
  /** Returns the token ids of a text. */
  readonly encode: (text: string) => readonly number[]
  /** Returns the text of token ids; invalid UTF-8 becomes U+FFFD. Throws on unknown ids. */
  readonly decode: (tokens: Iterable<number>) => string
  /** Counts the tokens of a text without building them. */
  readonly countTokens: (text: string) => number
  /** Returns the count if it is at most `limit`, otherwise `false`; stops soon after the limit. */
  readonly isWithinTokenLimit: (text: string, limit: number) => number | false
}
