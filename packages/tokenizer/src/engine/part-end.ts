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
    const lead = bytes[at] ?? 0
    at += lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
    if (at >= stop) return stop
    if (!mayCross(tables, piece, at)) return at
  }
}
