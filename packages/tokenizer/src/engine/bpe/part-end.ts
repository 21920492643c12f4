import { codePointEnd } from '../unicode/code-point.ts'
import type { BpeTables } from './bpe-tables.ts'
import { mayCross } from './may-cross.ts'
import type { Piece } from './piece.ts'

/**
 * Returns the end of the part of a piece that starts at `start`: the next place that no merge
 * crosses. Parts are merged separately, unless a token that merges cannot produce may match the
 * whole piece.
 */
export function partEnd(tables: BpeTables, piece: Piece, start: number): number {
  const { bytes, stop } = piece
  let at = start
  for (;;) {
    at = codePointEnd(bytes, at)
    if (at >= stop) return stop
    if (!mayCross(tables, piece, at)) return at
  }
}
