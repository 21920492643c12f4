import type { BpeState } from './bpe-state.ts'
import { longestMatch, mergePiece } from './merge-piece.ts'
import type { Piece } from './piece.ts'

/** Appends the ids of a piece. */
export function encodePiece(state: BpeState, piece: Piece, ids: number[]): void {
  const { tokenAt, ids: idOf } = state.tables
  const first = tokenAt[longestMatch(state, piece, piece.start)] ?? 0
  const isWhole = state.matchEnd === piece.stop
  const height = isWhole ? 1 : mergePiece(state, piece, first)
  for (let index = 0; index < height; index += 1) {
    const token = isWhole ? first : (state.stack[index] ?? 0)
    ids.push(idOf?.[token] ?? token)
  }
}
