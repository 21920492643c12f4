/**
 * A vocabulary as typed arrays, all of them views of one buffer, which threads may share.
 *
 * Tokens are numbered by merge priority: a lower number merges first. `left` and `right` are the
 * parts that a token's last merge joined; a single byte is its own part.
 */
export type BpeTables = {
  /**
   * A double-array trie, a word per slot: base of the children (22 bits, shift 10), 512 if it holds a
   * token, 256 if occupied, its byte. The child of base B on byte b lies at slot B + b and is real
   * if its low nine bits are 256 + b: bases are unique, so a matching byte proves the parent.
   */
  readonly nodes: Int32Array
  /** The token of each slot that holds one. */
  readonly tokenAt: Int32Array
  /** The next shorter token that is a prefix of a token, or -1. */
  readonly prefix: Int32Array
  readonly left: Int32Array
  readonly right: Int32Array
  /** Bytes of each token. */
  readonly lengths: Uint8Array
  /** Hash of (left, right): token + 1 or 0, linear probing. */
  readonly pairs: Int32Array
  readonly pairShift: number
  /** Bits of hashes, four places a slot: most pairs make no token, and are told from this alone. */
  readonly pairFilter: Uint8Array
  /**
   * Numbers from here on are no tokens but parts of tokens that no merges make: such a token's
   * left part is one of these. It stands for a whole piece only.
   */
  readonly firstPart: number
}

/** What a shared copy of tables needs beside its buffer. */
export type TablesLayout = {
  readonly slots: number
  /** Tokens and, from `firstPart` on, parts of tokens. */
  readonly tokens: number
  readonly firstPart: number
}

/** Bytes of the buffer that holds tables of this size. */
export function tablesBytes(layout: TablesLayout): number {
  return partsOf(layout).total
}

/** Lays tables over a buffer of `tablesBytes(layout)`, empty or filled before. */
export function viewTables(buffer: ArrayBufferLike, layout: TablesLayout): BpeTables {
  const at = partsOf(layout)
  const words = (offset: number, length: number): Int32Array =>
    new Int32Array(buffer, offset, length)
  return {
    nodes: words(0, layout.slots),
    tokenAt: words(layout.slots * 4, layout.slots),
    prefix: words(at.prefix, layout.tokens),
    left: words(at.left, layout.tokens),
    right: words(at.right, layout.tokens),
    pairs: words(at.pairs, 1 << at.pairBits),
    lengths: new Uint8Array(buffer, at.lengths, layout.tokens),
    pairFilter: new Uint8Array(buffer, at.filter, 1 << (at.pairBits - 1)),
    pairShift: 32 - at.pairBits,
    firstPart: layout.firstPart,
  }
}

type Parts = {
  readonly prefix: number
  readonly left: number
  readonly right: number
  readonly pairs: number
  readonly pairBits: number
  readonly filter: number
  readonly lengths: number
  readonly total: number
}

function partsOf({ slots, tokens }: TablesLayout): Parts {
  // Between a quarter and half full.
  const pairBits = 33 - Math.clz32(tokens)
  const prefix = slots * 8
  const left = prefix + tokens * 4
  const right = left + tokens * 4
  const pairs = right + tokens * 4
  const filter = pairs + (1 << pairBits) * 4
  const lengths = filter + (1 << (pairBits - 1))
  return { prefix, left, right, pairs, pairBits, filter, lengths, total: lengths + tokens }
}

/** Fills `pairs` and `lengths` from `left` and `right`. */
export function fillDerived(tables: BpeTables): void {
  const { left, right, pairs, pairShift, pairFilter, firstPart } = tables
  fillLengths(tables)
  const mask = pairs.length - 1
  for (let token = 0; token < firstPart; token += 1) {
    const first = left[token] ?? 0
    const second = right[token] ?? 0
    if (first === token || first >= firstPart) continue
    const hash = hashPair(first, second)
    const bit = hash >>> (pairShift - 2)
    pairFilter[bit >>> 3] = (pairFilter[bit >>> 3] ?? 0) | (1 << (bit & 7))
    let slot = hash >>> pairShift
    while (pairs[slot] !== 0) slot = (slot + 1) & mask
    pairs[slot] = token + 1
  }
}

/** Parts of a token come before it, but for those that are no tokens. */
function fillLengths({ left, right, lengths, firstPart }: BpeTables): void {
  const fill = (token: number): void => {
    const first = left[token] ?? 0
    const second = right[token] ?? 0
    lengths[token] = first === token ? 1 : (lengths[first] ?? 0) + (lengths[second] ?? 0)
  }
  for (let token = 0; token < firstPart; token += 1) fill(token)
  if (firstPart === left.length) return
  for (let token = firstPart; token < left.length; token += 1) fill(token)
  for (let token = 0; token < firstPart; token += 1) fill(token)
}

/** Spreads a pair of tokens over 32 bits. */
export function hashPair(first: number, second: number): number {
  return Math.imul(Math.imul(first, 0x9e3779b1) ^ second, 0x85ebca6b)
}
