import type { BpeState } from './bpe-state.ts'
import type { EarlyMerges } from './bpe-tables.ts'
import { createEarlyMerges } from './early-merges.ts'
import type { Piece } from './piece.ts'
import { slotOnByte } from './trie.ts'

/** Longer pieces take too long, since each merge reads the keys of all pairs. */
const maxShortBytes = 40

/** The key of a pair that is not a token. */
const none = 0x7fffffff

/** Parts have a bit each in a word, and the end of the piece has one. */
const maxParts = 31

// Distances in `BpeState.short`.
const toNode = 64
const toByte = 128

/** The place before the first: the highest, which no part has. Its node stays 0. */
const nowhere = 63

/**
 * Whether `mergeShort` is the faster way. In Han and kana, the longest token at their place is
 * found at once, while characters of three bytes take two merges before they join with others.
 */
export function isShort({ makesEveryToken }: BpeState, { bytes, start, stop }: Piece): boolean {
  const length = stop - start
  if (length > maxShortBytes || !makesEveryToken) return false
  const lead = length < 3 ? 0 : (bytes[stop - 3] ?? 0)
  return lead < 0xe3 || lead > 0xe9
}

/**
 * Counts the tokens of a short piece that is not a token by byte-pair encoding as it is defined: the
 * pair that makes the lowest token merges first. Only for vocabularies whose merges make every token:
 * then two neighbors whose bytes are a token are the parts that its last merge joined. Returns 0 if
 * the piece has too many parts.
 *
 * This reads far less of the tables than `mergePiece`, so it is faster on words that were not seen
 * before, whose part of the tables is not in the processor's cache. Which pairs are tokens, and
 * where they are, is unpredictable, so that most of it has no branches.
 */
export function mergeShort(state: BpeState, early: EarlyMerges, piece: Piece): number {
  const { short } = state
  const { nodes, tokenAt } = state.tables
  const { bytes } = piece
  const parts = splitEarly(short, early, piece)
  if (parts > maxParts) return 0
  startPairs(state, piece, parts)
  /** The places of parts that are left, and of the end. */
  let left = -1 >>> (maxParts - parts)
  let count = parts
  for (;;) {
    const best = lowestKey(short, parts)
    if (best === none) break
    count -= 1
    // The last two parts stay apart, since the piece is not a token.
    if (count === 2) break
    const place = best & 63
    const second = lowestBit(left & (-2 << place))
    left ^= 1 << second
    short[second] = none
    const behind = left & (-2 << place)
    const end = short[lowestBit(behind) + toByte] ?? 0
    const behindThird = behind & (behind - 1)
    // The joined part with the one behind it, which mostly has one or two bytes.
    const stop = short[lowestBit(behindThird) + toByte] ?? 0
    const byte = bytes[end] ?? 0
    const next = bytes[end + 1] ?? 0
    const isLong = (end + 1 - stop) >> 31
    const firstSlot = slotOnByte((short[place + toNode] ?? 0) & bitsIfAny(behindThird), byte)
    const nextSlot = slotOnByte(onlyChild(nodes[firstSlot] ?? 0, byte), next)
    let slot = firstSlot ^ ((firstSlot ^ nextSlot) & isLong)
    let node = onlyChild(nodes[slot] ?? 0, byte ^ ((byte ^ next) & isLong))
    for (let at = end + 2; at < stop && node !== 0; at += 1) {
      slot = slotOnByte(node, bytes[at] ?? 0)
      node = onlyChild(nodes[slot] ?? 0, bytes[at] ?? 0)
    }
    short[place + toNode] = node
    short[place] = keyOf(tokenAt[slot & tokenBits(node)] ?? 0, place, node)
    // The part before with the joined one: the walk has gone through `place`; the rest is new.
    const before = placeBefore(left, place)
    node = short[before + toNode] ?? 0
    slot = 0
    for (let at = short[second + toByte] ?? 0; at < end && node !== 0; at += 1) {
      slot = slotOnByte(node, bytes[at] ?? 0)
      node = onlyChild(nodes[slot] ?? 0, bytes[at] ?? 0)
    }
    short[before + toNode] = node
    short[before] = keyOf(tokenAt[slot & tokenBits(node)] ?? 0, before, node)
  }
  state.steps += (parts - count + 1) * ((parts >> 2) + 2) + piece.stop - piece.start
  return count
}

/** The place of the lowest bit of a word that has one. */
function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word)
}

/** The place of the part before; `nowhere` before the first. */
function placeBefore(left: number, place: number): number {
  return (31 - Math.clz32(left & ((1 << place) - 1))) & nowhere
}

/** All bits if the word has one. */
function bitsIfAny(word: number): number {
  return (word | -word) >> 31
}

/** All bits if a token ends at the node. */
function tokenBits(node: number): number {
  return (node << 22) >> 31
}

/** The key of the pair at a place. `token` is 0 if none ends at the node behind the pair. */
function keyOf(token: number, place: number, node: number): number {
  return (token << 6) | place | (none & ~tokenBits(node))
}

/**
 * Cuts a piece into parts of one byte and pairs of bytes that merge early. Leaves where they begin,
 * and the end of the piece, in `short` and returns their number. Without branches, since which
 * pairs merge is unpredictable.
 */
function splitEarly(short: Int32Array, early: EarlyMerges, { bytes, start, stop }: Piece): number {
  const last = stop - 1
  let parts = 0
  let precedence = 0
  /** The highest of what may take the first byte of a pair: of this one, and of the next. */
  let rival = 0
  let nextRival = 0
  let byte = bytes[start] ?? 0
  for (let at = start; at < last; at += 1) {
    const next = bytes[at + 1] ?? 0
    const word = early[(byte << 8) | next] ?? 0
    // 1 if `precedence`, of the byte before and this one, is above both rivals.
    const isJoined = ((rival - precedence) & ((word & 1023) - precedence)) >>> 31
    short[parts + toByte] = at
    parts = (parts + 1 - isJoined) | 0
    rival = nextRival
    nextRival = (word >>> 10) & 1023
    precedence = word >>> 20
    byte = next
  }
  short[parts + toByte] = last
  parts = (parts + 1 - (((rival - precedence) & -precedence) >>> 31)) | 0
  short[parts + toByte] = stop
  return parts
}

/** Fills the keys of the pairs of parts, with few branches: how long a part is is unpredictable. */
function startPairs({ short, tables }: BpeState, { bytes }: Piece, parts: number): void {
  const { nodes, tokenAt } = tables
  const root = nodes[0] ?? 0
  /** The node behind the part before; none before the first. */
  let node = 0
  let end = short[toByte] ?? 0
  /** The place of the part before; the first writes behind the last. */
  let place = parts
  for (let part = 0; part < parts; part += 1) {
    const byte = bytes[end] ?? 0
    const next = bytes[end + 1] ?? 0
    const start = end
    end = short[part + 1 + toByte] ?? 0
    /** All bits if the part has a second byte. */
    const isPair = (start + 1 - end) >> 31
    const first = slotOnByte(node, byte)
    const second = slotOnByte(onlyChild(nodes[first] ?? 0, byte), next)
    const slot = first ^ ((first ^ second) & isPair)
    const found = onlyChild(nodes[slot] ?? 0, byte ^ ((byte ^ next) & isPair))
    short[place] = keyOf(tokenAt[slot & tokenBits(found)] ?? 0, place, found)
    short[place + toNode] = found
    place = part
    node = nodes[slotOnByte(root, byte)] ?? 0
    node ^= (node ^ (nodes[slotOnByte(node, next)] ?? 0)) & isPair
  }
  // `lowestKey` reads four at a time.
  short[parts - 1] = none
  short[parts] = none
  short[parts + 1] = none
  short[parts + 2] = none
}

/** The node if it is a child on that byte; 0 otherwise. */
function onlyChild(node: number, byte: number): number {
  return node & ((((node ^ (0x100 | byte)) & 0x1ff) - 1) >> 31)
}

/** Short pieces to count before looking for the bytes that merge early is worth it. */
const piecesBefore = 1 << 12

/** What merges early, once enough short pieces were counted; `null` before. */
export function earlyMergesOf(state: BpeState): EarlyMerges | null {
  const { tables } = state
  if (tables.early === null) {
    state.shortPieces += 1
    if (state.shortPieces > piecesBefore) tables.early = createEarlyMerges(tables)
  }
  return tables.early
}

/**
 * The lowest of the keys. Four minima at once, without branches, since the order is random: adds the
 * difference if it is negative.
 */
function lowestKey(keys: Int32Array, length: number): number {
  let a = keys[0] ?? 0
  let b = keys[1] ?? 0
  let c = keys[2] ?? 0
  let d = keys[3] ?? 0
  for (let at = 4; at < length; at += 4) {
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
