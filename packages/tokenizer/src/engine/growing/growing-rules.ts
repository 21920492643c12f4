import type { BpeState } from '../bpe/bpe-state.ts'
import type { Piece } from '../bpe/piece.ts'
import type { TextWindow } from '../scan/text-window.ts'
import type { OpenPiece } from './open-piece.ts'

/** How the end of a text is cut into pieces while it grows. */
export type GrowingRules = {
  readonly state: BpeState
  /** The form of a text that is counted. */
  readonly normalize: (text: string) => string
  /** UTF-16 units of a text in that form that stay as they are whatever follows. */
  readonly settledUnits: (text: string) => number
  readonly scan: (window: TextWindow, position: number) => number
  /** How many pieces stay as they are, and a place in the next from which its end is scanned. */
  readonly resume: (window: TextWindow, open: OpenText) => Resumed
  /** How many of the first pieces stay as they are whatever follows the first `settled` bytes. */
  readonly closed: (pieces: readonly OpenPiece[], settled: number) => number
  /** Counts a short piece. */
  readonly count: (piece: Piece) => number
}

/** The pieces at the end of a text; their bytes before `known` did not change since they were cut. */
export type OpenText = { readonly pieces: readonly OpenPiece[]; readonly known: number }

export type Resumed = { readonly kept: number; readonly from: number }
