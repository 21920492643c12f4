import { releaseMemory } from '../bpe/bpe-state.ts'
import { appendText, createWindow, dropStart, type TextWindow } from '../scan/text-window.ts'
import type { GrowingRules, OpenText } from './growing-rules.ts'
import { longBytes, mergeEnd, type OpenPiece } from './open-piece.ts'

/** Counts a text that grows. */
export type StreamCounter = {
  /**
   * Adds to the text and returns the tokens of all of it: what `countTokens` returns for the whole.
   * Takes time in proportion to what was added and the last two words; of a word of more than 256
   * bytes, only the last tokens are counted again. Qwen's vocabulary normalizes a character with
   * all its combining marks again.
   */
  readonly write: (text: string) => number
}

/** UTF-16 units that are added at once, and bytes of closed pieces that a window may contain. */
const sliceUnits = 1 << 14
const firstBytes = 1 << 10

export function createStreamCounter(rules: GrowingRules): StreamCounter {
  const { state } = rules
  const window = createWindow(firstBytes)
  let pieces: readonly OpenPiece[] = []
  /** The end of the text that may change, which begins in the window at `settled`. */
  let unsettled = ''
  let settled = 0
  let closedTokens = 0

  function grow(text: string): void {
    const normal = rules.normalize(unsettled + text)
    const units = rules.settledUnits(normal)
    const known = settled
    window.length = known
    appendText(window, normal.slice(0, units))
    settled = window.length
    unsettled = normal.slice(units)
    appendText(window, unsettled)
    pieces = cutAgain(rules, window, { pieces, known })
    close(rules.closed(pieces, settled))
  }

  function close(count: number): void {
    for (const piece of pieces.slice(0, count)) closedTokens += piece.count
    pieces = pieces.slice(count)
    const start = pieces[0]?.start ?? 0
    if (start < sliceUnits) return
    dropStart(window, start)
    settled -= start
    for (const piece of pieces) {
      piece.start -= start
      piece.stop -= start
    }
  }

  return {
    write: (text) => {
      state.shouldStop = () => false
      for (let at = 0; at < text.length; at += sliceUnits) grow(text.slice(at, at + sliceUnits))
      releaseMemory(state)
      return pieces.reduce((sum, { count }) => sum + count, closedTokens)
    },
  }
}

function cutAgain(rules: GrowingRules, window: TextWindow, open: OpenText): readonly OpenPiece[] {
  const resumed = rules.resume(window, open)
  const pieces = open.pieces.slice(0, resumed.kept)
  let start = open.pieces[resumed.kept]?.start ?? 0
  let { from } = resumed
  while (start < window.length) {
    const stop = from < window.length ? rules.scan(window, from) : from
    rules.state.steps += stop - from
    pieces.push(countAgain(rules, window, { start, stop, open }))
    start = stop
    from = stop
  }
  return pieces
}

type Cut = { readonly start: number; readonly stop: number; readonly open: OpenText }

function countAgain(
  { state, count }: GrowingRules,
  { bytes, view }: TextWindow,
  { start, stop, open: { pieces, known } }: Cut,
): OpenPiece {
  const open = pieces.find((piece) => piece.start === start) ?? newPiece(start)
  if (open.stop === stop && stop <= known) return open
  const piece = { bytes, view, start, stop }
  if (stop - start < longBytes) {
    open.tokens = []
    open.count = count(piece)
  } else {
    mergeEnd(state, piece, { open, known })
    open.count = open.tokens.length
  }
  open.stop = stop
  return open
}

function newPiece(start: number): OpenPiece {
  return { start, stop: start, count: 0, tokens: [] }
}
