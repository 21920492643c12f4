import { type BpeState, pieceMemoBits } from './bpe-state.ts'
import { countFewBytes } from './count-few-bytes.ts'
import { longestMatch, mergePiece } from './merge-piece.ts'
import { earlyMergesOf, isShort, mergeShort } from './merge-short.ts'
import type { Piece } from './piece.ts'

/** Pieces up to this many bytes are cached: a piece and its count fill four words. */
const memoBytes = 15

/** Counts the tokens of a piece; -1 if the count was stopped. */
export function countPiece(state: BpeState, piece: Piece): number {
  const length = piece.stop - piece.start
  if (length > memoBytes) return countUncached(state, piece)
  if (length > 3) return countCached(state, piece)
  if (!state.makesEveryToken) return countUncached(state, piece)
  state.steps += length
  return countFewBytes(state.tables, piece.bytes, piece)
}

/** The same, without the cache. */
export function countUncached(state: BpeState, piece: Piece): number {
  const slot = longestMatch(state, piece, piece.start)
  if (state.matchEnd === piece.stop) return 1
  const early = isShort(state, piece) ? earlyMergesOf(state) : null
  const merged = early === null ? 0 : mergeShort(state, early, piece)
  return merged > 0 ? merged : mergePiece(state, piece, state.tables.tokenAt[slot] ?? 0)
}

/**
 * Looks up a short piece by value: its bytes, followed by length and count in one byte. A slot fits
 * in one line of the processor's cache, while the trie takes a line per byte.
 */
function countCached(state: BpeState, piece: Piece): number {
  const { view, start } = piece
  const { pieceMemo } = state
  const length = piece.stop - start
  const a = view.getInt32(start, true) & (masks[length] ?? 0)
  const b = view.getInt32(start + 4, true) & (masks[length + 16] ?? 0)
  const c = view.getInt32(start + 8, true) & (masks[length + 32] ?? 0)
  const d = (view.getInt32(start + 12, true) & (masks[length + 48] ?? 0)) | (length << 28)
  const slot = (hashWords(a, b, c ^ Math.imul(d, 0x27d4eb2f)) >>> (32 - pieceMemoBits)) << 2
  const known = pieceMemo[slot + 3] ?? 0
  const differs =
    ((pieceMemo[slot] ?? 0) ^ a) |
    ((pieceMemo[slot + 1] ?? 0) ^ b) |
    ((pieceMemo[slot + 2] ?? 0) ^ c) |
    ((known ^ d) & 0xf0ffffff)
  if (differs === 0) return ((known >>> 24) & 15) + 1
  const count = countUncached(state, piece)
  pieceMemo[slot] = a
  pieceMemo[slot + 1] = b
  pieceMemo[slot + 2] = c
  pieceMemo[slot + 3] = d | ((count - 1) << 24)
  return count
}

/** For each of the four words and each length of a piece, a mask of the bytes of the piece. */
const masks: Int32Array = Int32Array.from({ length: 64 }, (_, index) => {
  const count = (index & 15) - (index >>> 4) * 4
  return count >= 4 ? -1 : count > 0 ? (1 << (count << 3)) - 1 : 0
})

function hashWords(a: number, b: number, c: number): number {
  const mixed = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b) ^ Math.imul(c, 0xc2b2ae35)
  return Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d)
}
