import type { EncodingName } from '../engine/encoding-name.ts'
import type { StreamCounter } from '../engine/growing/stream-counter.ts'
import type { StreamDecoder } from '../engine/table/stream-decoder.ts'
import type { SplitOptions } from './split-text.ts'

/**
 * One vocabulary, ready to count. Special-token strings are ordinary text, lone surrogates count
 * as U+FFFD, and these functions never throw on any string. Other arguments throw a TypeError.
 */
export type Tokenizer = {
  readonly encoding: EncodingName
  /** Returns the token ids of a text. */
  readonly encode: (text: string) => readonly number[]
  /** Returns the text of token ids; invalid UTF-8 becomes U+FFFD. Throws on unknown ids. */
  readonly decode: (tokens: Iterable<number>) => string
  /** Returns a decoder for ids that arrive one after the other, such as those of a stream. */
  readonly streamDecoder: () => StreamDecoder
  /** Counts the tokens of a text without building them. */
  readonly countTokens: (text: string) => number
  /** Returns the count, or `false` soon after it passes `limit`. Throws as `truncate`. */
  readonly isWithinTokenLimit: (text: string, limit: number) => number | false
  /**
   * Returns the longest start of a text that ends with a token and has at most `limit` tokens; the
   * text itself if it fits. Lone surrogates become U+FFFD, and the text is normalized where `decode`
   * returns it so. Throws a TypeError if `limit` is not a whole number of at least 0.
   */
  readonly truncate: (text: string, limit: number) => string
  /**
   * Returns parts of at most `tokens` tokens, which overlap by about `overlap` tokens, for search and
   * retrieval. Without overlap they are the text, joined. Characters stay whole; the text is as with
   * `truncate`. Throws a TypeError if `tokens` is not an integer of at least 4, or if `overlap` is not
   * one from 0 to below `tokens`.
   */
  readonly split: (text: string, options: SplitOptions) => readonly string[]
  /** Returns a counter of a text that grows, such as the answer of a stream. */
  readonly streamCounter: () => StreamCounter
}
