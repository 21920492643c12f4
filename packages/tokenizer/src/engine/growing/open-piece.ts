import type { BpeState } from '../bpe/bpe-state.ts'
import { isValidPair } from '../bpe/is-valid-pair.ts'
import { longestMatch, mergePiece } from '../bpe/merge-piece.ts'
import type { Piece } from '../bpe/piece.ts'

/** A piece that may change when its text grows. */
export type OpenPiece = {
  start: number
  stop: number
  /** How many tokens it has. */
  count: number
  /** The tokens, if it is long. */
  tokens: number[]
}

/** A piece of so many bytes is longer than any token, and worth merging only at its end. */
export const longBytes = 256

/**
 * Merges a long piece whose bytes before `known` are those that `open` was merged from.
 *
 * A chain of tokens of which all neighbors are valid pairs is the encoding, so the tokens before the
 * last one stay if they form a valid pair with what it and the new bytes make. If they do not, twice
 * as many are merged again.
 */
export function mergeEnd(
  state: BpeState,
  piece: Piece,
  { open: { tokens, start, stop }, known }: { readonly open: OpenPiece; readonly known: number },
): void {
  const { lengths } = state.tables
  const same = Math.min(known, piece.stop)
  let at = tokens.length > 0 ? stop : start
  let kept = tokens.length
  const dropLast = (): void => {
    kept -= 1
    at -= lengths[tokens[kept] ?? 0] ?? 0
  }
  while (kept > 0 && at > same) dropLast()
  for (let again = 1; ; again *= 2) {
    for (let dropped = 0; kept > 0 && dropped < again; dropped += 1) dropLast()
    const found = merge(state, { ...piece, start: at })
    state.bytes = piece.bytes
    state.boundary = at
    if (kept === 0 || isValidPair(state, tokens[kept - 1] ?? 0, found[0] ?? 0)) {
      tokens.length = kept
      for (const token of found) tokens.push(token)
      return
    }
  }
}

function merge(state: BpeState, piece: Piece): Int32Array {
  const first = state.tables.tokenAt[longestMatch(state, piece, piece.start)] ?? 0
  const height = mergePiece(state, piece, first)
  return state.stack.subarray(0, height)
}
