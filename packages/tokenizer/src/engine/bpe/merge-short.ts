import type { BpeState } from './bpe-state.ts'
import type { Piece } from './piece.ts'
import { endsToken, isChild, slotOnByte } from './trie.ts'

/** Longer pieces take too long, since each merge reads the keys of all pairs. */
const longestShort = 40

/** The key of a pair that is not a token. */
const none = 0x7fffffff

// Distances in `BpeState.short`.
const toNode = 64
const toNext = 128
const toBefore = 192

/**
 * Whether `mergeShort` is the faster way. Characters of three or four bytes take two merges or three
 * before they join with others, while the longest token at their place is found at once.
 */
export function isShort({ makesEveryToken }: BpeState, { bytes, start, stop }: Piece): boolean {
  const length = stop - start
  return length <= longestShort && makesEveryToken && (length < 3 || (bytes[stop - 3] ?? 0) < 0xe0)
}

/**
 * Counts the tokens of a short piece by byte-pair encoding as it is defined: the pair that makes the
 * lowest token merges first. Only for vocabularies whose merges make every token: then two
 * neighbours whose bytes are a token are the parts that its last merge joined.
 *
 * This reads far less of the tables than `mergePiece`, so it is faster on words that were not seen
 * before, whose part of the tables is not in the processor's cache.
 */
export function mergeShort(state: BpeState, piece: Piece): number {
  const { short } = state
  const { nodes, tokenAt } = state.tables
  const { bytes, start } = piece
  const length = piece.stop - start
  startPairs(state, piece)
  let count = length
  for (;;) {
    const best = leastKey(short, length)
    if (best === none) break
    const place = best & 63
    const second = short[place + toNext] ?? 0
    const third = short[second + toNext] ?? 0
    const first = short[place + toBefore] ?? 0
    const stop = start + (short[third + toNext] ?? 0)
    short[second] = none
    short[place + toNext] = third
    short[third + toBefore] = place
    count -= 1
    // The joined part with the one behind it.
    let node = short[place + toNode] ?? 0
    let slot = 0
    for (let at = start + third; at < stop && node !== 0; at += 1) {
      const byte = bytes[at] ?? 0
      slot = slotOnByte(node, byte)
      node = nodes[slot] ?? 0
      if (!isChild(node, byte)) node = 0
    }
    if (third === length) node = 0
    short[place + toNode] = node
    short[place] = endsToken(node) ? ((tokenAt[slot] ?? 0) << 6) | place : none
    if (first < 0) continue
    // The part before with the joined one: the walk has gone through `place`; the rest is new.
    node = short[first + toNode] ?? 0
    for (let at = start + second; at < start + third && node !== 0; at += 1) {
      const byte = bytes[at] ?? 0
      slot = slotOnByte(node, byte)
      node = nodes[slot] ?? 0
      if (!isChild(node, byte)) node = 0
    }
    short[first + toNode] = node
    short[first] = endsToken(node) ? ((tokenAt[slot] ?? 0) << 6) | first : none
  }
  state.steps += (length - count + 1) * ((length >> 2) + 2)
  return count
}

/** Makes each byte a part, and fills the keys of all pairs. */
function startPairs({ short, tables }: BpeState, { bytes, start, stop }: Piece): void {
  const { nodes, tokenAt } = tables
  const root = nodes[0] ?? 0
  const last = stop - start - 1
  let byte = bytes[start] ?? 0
  for (let place = 0; place < last; place += 1) {
    const node = nodes[slotOnByte(root, byte)] ?? 0
    byte = bytes[start + place + 1] ?? 0
    const slot = slotOnByte(node, byte)
    const reached = nodes[slot] ?? 0
    const found = isChild(reached, byte) ? reached : 0
    short[place] = endsToken(found) ? ((tokenAt[slot] ?? 0) << 6) | place : none
    short[place + toNode] = found
    short[place + toNext] = place + 1
    short[place + toBefore] = place - 1
  }
  short[last + toNext] = last + 1
  short[last + toBefore] = last - 1
  short[last + 1 + toNext] = last + 1
  // `leastKey` reads four at a time.
  short[last] = none
  short[last + 1] = none
  short[last + 2] = none
  short[last + 3] = none
}

/**
 * The lowest of the keys. Four minima at once, without branches, since the order is random: adds the
 * difference if it is negative.
 */
function leastKey(keys: Int32Array, length: number): number {
  let a = none
  let b = none
  let c = none
  let d = none
  for (let at = 0; at < length; at += 4) {
    const toA = (keys[at] ?? 0) - a
    const toB = (keys[at + 1] ?? 0) - b
    const toC = (keys[at + 2] ?? 0) - c
    const toD = (keys[at + 3] ?? 0) - d
    a += toA & (toA >> 31)
    b += toB & (toB >> 31)
    c += toC & (toC >> 31)
    d += toD & (toD >> 31)
  }
  a += (b - a) & ((b - a) >> 31)
  c += (d - c) & ((d - c) >> 31)
  return a + ((c - a) & ((c - a) >> 31))
}
