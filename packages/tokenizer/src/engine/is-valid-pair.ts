import { type BpeState, pairMemoBits } from './bpe-state.ts'
import { type BpeTables, hashPair } from './bpe-tables.ts'

/**
 * Whether merging the joined bytes of two tokens would leave exactly the boundary between them.
 * Verdicts are remembered; a forgotten one is worked out again.
 */
export function isValidPair(state: BpeState, first: number, second: number): boolean {
  const { pairMemo } = state
  const slot = (hashPair(first, second) >>> (32 - pairMemoBits)) << 1
  if (pairMemo[slot] === first) {
    const known = (pairMemo[slot + 1] ?? 0) ^ (second << 1)
    if ((known & -2) === 0) return known === 1
  }
  const valid = workOut(state, first, second)
  pairMemo[slot] = first
  pairMemo[slot + 1] = (second << 1) | (valid ? 1 : 0)
  return valid
}

/**
 * Undoes the merges beside the boundary, the latest first. A token made of the two parts at the
 * boundary, earlier than what was undone, would have crossed it.
 */
function workOut(state: BpeState, first: number, second: number): boolean {
  const { tables } = state
  const { left, right } = tables
  let bound = 0x7fffffff
  let a = first
  let b = second
  for (;;) {
    state.steps += 1
    const joined = tokenOf(tables, a, b)
    if (joined >= 0 && joined < bound) return false
    const inner = right[a] ?? 0
    const outer = left[b] ?? 0
    if (inner === a && outer === b) return true
    if (outer === b || (inner !== a && a > b)) {
      bound = a
      a = inner
    } else {
      bound = b + 1
      b = outer
    }
  }
}

/** The token whose last merge joined these two, or -1. */
function tokenOf(tables: BpeTables, first: number, second: number): number {
  const { left, right, pairs, pairShift, pairFilter } = tables
  const hash = hashPair(first, second)
  const bit = hash >>> (pairShift - 2)
  if ((((pairFilter[bit >>> 3] ?? 0) >>> (bit & 7)) & 1) === 0) return -1
  const mask = pairs.length - 1
  let slot = hash >>> pairShift
  for (;;) {
    const token = (pairs[slot] ?? 0) - 1
    if (token < 0 || (left[token] === first && right[token] === second)) return token
    slot = (slot + 1) & mask
  }
}
