import { codePointEnd } from '../unicode/code-point.ts'
import type { BpeTables } from './bpe-tables.ts'
import { mayCross } from './may-cross.ts'
import type { Piece } from './piece.ts'

/**
 * Where the part of a piece ends that starts at `start`, at the next place that no merge crosses.
 * Parts are merged alone, unless a token that no merges make may stand for the whole piece.
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
