import { countPiece } from '../bpe/count-piece.ts'
import type { CharacterEngine } from '../character-engine.ts'
import { metaspace } from '../characters/character-window.ts'
import { scanCharacters } from '../characters/scan-characters.ts'
import type { GrowingRules } from './growing-rules.ts'
import { wholeUnits } from './settled-units.ts'

/** The rules of vocabularies that merge characters over the whole text. */
export function characterRules(engine: CharacterEngine): GrowingRules {
  const { state, starts } = engine
  /** Whether a symbol starts at a place is known once so many bytes follow. */
  const ahead = starts.longest
  return {
    state,
    normalize: (text) => text.replaceAll(metaspace, ' '),
    settledUnits: wholeUnits,
    scan: (window, position) => scanCharacters(engine, { ...window, isLast: true }, position),
    resume: ({ bytes }, { pieces, known }) => {
      const start = pieces[0]?.start ?? 0
      let from = known - ahead
      // The first piece is longer than a symbol, so none begins or ends within what is decided.
      if (from - start <= ahead) return { kept: 0, from: start }
      while (((bytes[from] ?? 0) & 0xc0) === 0x80) from -= 1
      return { kept: 0, from }
    },
    closed: (pieces, settled) =>
      Math.max(0, pieces.filter(({ start }) => start + ahead <= settled).length - 1),
    count: (piece) => countPiece(state, piece),
  }
}
