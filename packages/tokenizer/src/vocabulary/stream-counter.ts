import type { GrowingPiece } from '../engine/growing-text.ts'
import type { TextEngine } from '../engine/text-engine.ts'

/** Counts a text that grows. */
export type StreamCounter = {
  /**
   * Adds to the text and returns the tokens of all of it: what `countTokens` returns for the whole.
   * Takes time in proportion to what was added and the last word, and of a run of characters of one
   * kind, such as thousands of `=`, only its last tokens; for Gemma 3, whose merges cross words, in
   * proportion to the whole text.
   */
  readonly write: (text: string) => number
}

export function createStreamCounter({ countTokens, growing }: TextEngine): StreamCounter {
  let counted = 0
  let held = ''
  let heldTokens = 0
  let last: GrowingPiece | undefined
  return {
    write: (text) => {
      held += text
      const added = last?.extend(text)
      if (added === undefined) {
        const cut = growing?.stableCut(held) ?? 0
        counted += countTokens(held.slice(0, cut))
        held = held.slice(cut)
        heldTokens = countTokens(held)
        last = growing?.growLast(held)
      } else heldTokens += added
      return counted + heldTokens
    },
  }
}
