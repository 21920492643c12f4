import { type BpeState, pieceMemoBits } from './bpe-state.ts'
import { longestMatch, mergePiece, type Piece } from './merge-piece.ts'

const memoBytes = 16

/** The tokens of a piece, or -1 if the count was stopped. */
export function countPiece(state: BpeState, piece: Piece): number {
  const first = longestMatch(state, piece, piece.start)
  const length = piece.stop - piece.start
  if (state.tables.lengths[first] === length) return 1
  if (length > memoBytes) return mergePiece(state, piece, first)
  return countShortPiece(state, piece, first)
}

/**
 * Counts of short pieces are remembered by value: all bytes in four words, and one byte of length
 * and count, each less one (a piece of one byte is a token and never comes here, so 0 is free).
 */
function countShortPiece(state: BpeState, piece: Piece, first: number): number {
  const { bytes, start, stop } = piece
  const { pieceKeys, pieceCounts } = state
  const a = packWord(bytes, start, stop)
  const b = packWord(bytes, start + 4, stop)
  const c = packWord(bytes, start + 8, stop)
  const d = packWord(bytes, start + 12, stop)
  const slot = hashWords(a, b, c ^ Math.imul(d, 0x27d4eb2f)) >>> (32 - pieceMemoBits)
  const key = slot << 2
  const known = pieceCounts[slot] ?? 0
  const same =
    known >>> 4 === stop - start - 1 &&
    pieceKeys[key] === a &&
    pieceKeys[key + 1] === b &&
    pieceKeys[key + 2] === c &&
    pieceKeys[key + 3] === d
  if (same) return (known & 15) + 1
  const count = mergePiece(state, piece, first)
  pieceKeys[key] = a
  pieceKeys[key + 1] = b
  pieceKeys[key + 2] = c
  pieceKeys[key + 3] = d
  pieceCounts[slot] = ((stop - start - 1) << 4) | (count - 1)
  return count
}

function hashWords(a: number, b: number, c: number): number {
  const mixed = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b) ^ Math.imul(c, 0xc2b2ae35)
  return Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d)
}

function packWord(bytes: Uint8Array, at: number, stop: number): number {
  if (at + 4 <= stop) {
    return (
      (bytes[at] ?? 0) |
      ((bytes[at + 1] ?? 0) << 8) |
      ((bytes[at + 2] ?? 0) << 16) |
      ((bytes[at + 3] ?? 0) << 24)
    )
  }
  let word = 0
  for (let index = stop - 1; index >= at; index -= 1) word = (word << 8) | (bytes[index] ?? 0)
  return word
}
