import { type BpeState, pieceMemoBits } from './bpe-state.ts'
import { longestMatch, mergePiece, type Piece } from './merge-piece.ts'

/** Pieces up to this many bytes are remembered: they and their count fill four words. */
const memoBytes = 15

/** The tokens of a piece, or -1 if the count was stopped. */
export function countPiece(state: BpeState, piece: Piece): number {
  return piece.stop - piece.start > memoBytes
    ? countUnknown(state, piece)
    : countRemembered(state, piece)
}

function countUnknown(state: BpeState, piece: Piece): number {
  const first = longestMatch(state, piece, piece.start)
  if (state.tables.lengths[first] === piece.stop - piece.start) return 1
  return mergePiece(state, piece, first)
}

/**
 * Looks a short piece up by value: its bytes, behind them length and count in a byte. A slot is one
 * line of the processor's cache, where the trie takes one for each byte.
 */
function countRemembered(state: BpeState, piece: Piece): number {
  const { view, start } = piece
  const { pieceMemo } = state
  const length = piece.stop - start
  const a = view.getInt32(start, true) & lowBytes(length)
  const b = length > 4 ? view.getInt32(start + 4, true) & lowBytes(length - 4) : 0
  const c = length > 8 ? view.getInt32(start + 8, true) & lowBytes(length - 8) : 0
  const d = length > 12 ? view.getInt32(start + 12, true) & lowBytes(length - 12) : 0
  const slot = (hashWords(a, b, c ^ Math.imul(d, 0x27d4eb2f)) >>> (32 - pieceMemoBits)) << 2
  const known = pieceMemo[slot + 3] ?? 0
  const same =
    pieceMemo[slot] === a &&
    pieceMemo[slot + 1] === b &&
    pieceMemo[slot + 2] === c &&
    (known & 0xffffff) === d &&
    ((known >>> 28) & 15) === length
  if (same) return ((known >>> 24) & 15) + 1
  const count = countUnknown(state, piece)
  pieceMemo[slot] = a
  pieceMemo[slot + 1] = b
  pieceMemo[slot + 2] = c
  pieceMemo[slot + 3] = d | (length << 28) | ((count - 1) << 24)
  return count
}

/** A mask of the first bytes of a word. */
function lowBytes(count: number): number {
  return count >= 4 ? -1 : (1 << (count << 3)) - 1
}

function hashWords(a: number, b: number, c: number): number {
  const mixed = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b) ^ Math.imul(c, 0xc2b2ae35)
  return Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d)
}
