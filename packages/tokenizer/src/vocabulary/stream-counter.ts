import { lastCut } from '../engine/scan/text-window.ts'
import type { TextEngine } from '../engine/text-engine.ts'

/** Counts a text that grows. */
export type StreamCounter = {
  /**
   * Adds to the text and returns the tokens of all of it: what `countTokens` returns for the whole.
   * Takes time in proportion to what was added and the last word, such as a run of thousands of `=`; for
   * Gemma 3, whose merges cross words, in proportion to the whole text.
   */
  readonly write: (text: string) => number
}

export function createStreamCounter(engine: TextEngine): StreamCounter {
  let counted = 0
  let held = ''
  return {
    write: (text) => {
      held += text
      const cut = engine.encoding === 'gemma3' ? 0 : lastCut(held)
      counted += engine.countTokens(held.slice(0, cut))
      held = held.slice(cut)
      return counted + engine.countTokens(held)
    },
  }
}
