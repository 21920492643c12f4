/**
 * A vocabulary as typed arrays, all views of one buffer, which threads may share.
 *
 * Tokens are numbered by merge priority: a lower number merges first. `left` and `right` are the
 * parts that a token's last merge joined; a single byte is its own part.
 */
export type BpeTables = {
  /**
   * A double-array trie, a word per slot: base of the children (22 bits, shift 10), 512 if it holds a
   * token, 256 if occupied, its byte. The child of base B on byte b is at slot B + b and is real
   * if its low nine bits are 256 + b: bases are unique, so a matching byte proves the parent.
   */
  readonly nodes: Int32Array
  /** The token of each slot that has one. */
  readonly tokenAt: Int32Array
  /** The next shorter token that is a prefix of a token, or -1. */
  readonly prefix: Int32Array
  readonly left: Int32Array
  readonly right: Int32Array
  /** Length of each token in bytes. */
  readonly lengths: Uint8Array
  /** The number of tokens of each single code point of three bytes. */
  readonly threeByteCounts: Uint8Array
  /** Bits of the bytes that merges join; `mayCross` reads them. */
  readonly crossings: Int32Array
  /**
   * Numbers from here on are not tokens, but parts of tokens that merges cannot produce: the left
   * part of such a token is one of these. Such a token only matches a whole piece.
   */
  readonly firstPart: number
  /** Ids by token, or `null` where they are equal. */
  readonly ids: Int32Array | null
  /** Made when it is first worth it; not a view of the buffer. */
  early: EarlyMerges | null
}

/**
 * Pairs of bytes that always merge first, whatever else a piece holds: no token of a lower number
 * joins one of the two with its neighbor. Such a token would have that single byte as its
 * right or left part, and would end or begin there with the neighboring byte.
 *
 * A word for each two bytes, the first × 256 + the second, has three precedences of ten bits. A lower
 * token has a higher one, or the same if their numbers are close; 0 stands for none, and for tokens
 * from 65,536 on. From the highest bits: of the token of the two bytes; of the lowest token whose
 * left part ends with the first byte and whose right part is the second; of the lowest token whose
 * left part is the first byte and whose right part begins with the second. Only for vocabularies
 * whose merges make every token.
 */
export type EarlyMerges = Int32Array

/** Bits for hashes of three bytes on each side of a crossing, and of one byte on each side. */
export const crossingBits = 19
const crossingWords: number = ((1 << crossingBits) + (1 << 16)) >>> 5

/** The sizes of tables. */
export type TablesLayout = {
  readonly slots: number
  /** Tokens and, from `firstPart` on, parts of tokens. */
  readonly tokens: number
  readonly firstPart: number
  /** Whether ids differ from merge priorities. */
  readonly renumbered: boolean
}

/** Size in bytes of tables with this layout: the words, then the byte arrays. */
export function tablesBytes(layout: TablesLayout): number {
  return wordsOf(layout) * 4 + (1 << 16) + layout.tokens
}

/** Number of words of tables with this layout. */
export function wordsOf(layout: TablesLayout): number {
  return wordsBefore(layout).bytes
}

/** Creates views over the last bytes of `memory`, which begin at a multiple of four. */
export function viewTables(memory: Uint8Array, layout: TablesLayout): BpeTables {
  const { slots, tokens, firstPart, renumbered } = layout
  const at = wordsBefore(layout)
  const start = memory.byteOffset + memory.length - tablesBytes(layout)
  const words = (before: number, length: number): Int32Array =>
    new Int32Array(memory.buffer, start + before * 4, length)
  return {
    nodes: words(0, slots),
    tokenAt: words(at.tokenAt, slots),
    prefix: words(at.prefix, tokens),
    left: words(at.left, tokens),
    right: words(at.right, tokens),
    crossings: words(at.crossings, crossingWords),
    ids: renumbered ? words(at.ids, firstPart) : null,
    threeByteCounts: new Uint8Array(memory.buffer, start + at.bytes * 4, 1 << 16),
    lengths: new Uint8Array(memory.buffer, start + at.bytes * 4 + (1 << 16), tokens),
    firstPart,
    early: null,
  }
}

/** Number of words before each table. */
type WordsBefore = Readonly<
  Record<'tokenAt' | 'prefix' | 'left' | 'right' | 'crossings' | 'ids' | 'bytes', number>
>

function wordsBefore({ slots, tokens, firstPart, renumbered }: TablesLayout): WordsBefore {
  const prefix = slots * 2
  const crossings = prefix + tokens * 3
  const ids = crossings + crossingWords
  return {
    tokenAt: slots,
    prefix,
    left: prefix + tokens,
    right: prefix + tokens * 2,
    crossings,
    ids,
    bytes: ids + (renumbered ? firstPart : 0),
  }
}

/** Whether merges produce every token, so that no token matches only a whole piece. */
export function makesEveryToken({ left, firstPart }: BpeTables): boolean {
  return firstPart === left.length
}
