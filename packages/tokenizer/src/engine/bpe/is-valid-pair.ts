import type { BpeState } from './bpe-state.ts'
import { endsToken, isChild, slotOnByte } from './trie.ts'

/**
 * Whether merging the joined bytes of two tokens would keep exactly the boundary between them.
 * Results are cached; an evicted one is computed again.
 */
export function isValidPair(state: BpeState, first: number, second: number): boolean {
  const known = recall(state, first, second)
  if (known >= 0) return known === 1
  const isApart = joinOf(state, first, second) < 0 && staysApart(state, first, second)
  remember(state, first, (second << 1) | (isApart ? 1 : 0))
  return isApart
}

/** The same if the first is the longest token at its place, so that the two cannot form a token. */
export function isValidBehindLongest(state: BpeState, first: number, second: number): boolean {
  const known = recall(state, first, second)
  if (known >= 0) return known === 1
  const isApart = staysApart(state, first, second)
  remember(state, first, (second << 1) | (isApart ? 1 : 0))
  return isApart
}

/** The cached validity of a pair, 1 or 0; -1 if it is not cached. */
function recall({ pairMemo }: BpeState, first: number, second: number): number {
  const slot = placeOf(pairMemo, first, second)
  const known = (pairMemo[slot + 1] ?? 0) ^ (second << 1)
  return pairMemo[slot] === first && (known & -2) === 0 ? known : -1
}

function remember({ pairMemo }: BpeState, first: number, verdict: number): void {
  const slot = placeOf(pairMemo, first, verdict >>> 1)
  pairMemo[slot] = first
  pairMemo[slot + 1] = verdict
}

/** Two words per slot; the upper bits of the hash are the well mixed ones. */
function placeOf(pairMemo: Int32Array, first: number, second: number): number {
  return (hashPair(first, second) >>> (Math.clz32(pairMemo.length) + 2)) << 1
}

/**
 * Undoes the merges next to the boundary, the latest first. If the two parts at the boundary form a
 * token that merges earlier than what was undone, that merge would have crossed the boundary.
 */
function staysApart(state: BpeState, first: number, second: number): boolean {
  const { left, right } = state.tables
  let a = first
  let b = second
  let inner = right[a] ?? 0
  let outer = left[b] ?? 0
  let bound = 0
  while (inner !== a || outer !== b) {
    if (outer === b || (inner !== a && a > b)) {
      bound = a
      a = inner
      inner = right[a] ?? 0
    } else {
      bound = b + 1
      b = outer
      outer = left[b] ?? 0
    }
    const joined = joinOf(state, a, b)
    if (joined >= 0 && joined < bound) return false
  }
  return true
}

/** The token whose last merge joined these two, found by its bytes in the trie; -1 if none. */
function joinOf(state: BpeState, first: number, second: number): number {
  const { bytes, boundary } = state
  const { nodes, tokenAt, lengths, left } = state.tables
  const start = boundary - (lengths[first] ?? 0)
  const stop = boundary + (lengths[second] ?? 0)
  let slot = 0
  let node = nodes[0] ?? 0
  for (let place = start; place < stop; place += 1) {
    const byte = bytes[place] ?? 0
    slot = slotOnByte(node, byte)
    node = nodes[slot] ?? 0
    state.steps += 1
    if (!isChild(node, byte)) return -1
  }
  if (!endsToken(node)) return -1
  const token = tokenAt[slot] ?? 0
  return left[token] === first ? token : -1
}

/** Spreads a pair of tokens over 32 bits. */
function hashPair(first: number, second: number): number {
  return Math.imul(Math.imul(first, 0x9e3779b1) ^ second, 0x85ebca6b)
}
