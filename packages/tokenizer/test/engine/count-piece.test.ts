import { expect, test } from 'vitest'
import { createBpeState } from '../../src/engine/bpe/bpe-state.ts'
import { countPiece, countUncached } from '../../src/engine/bpe/count-piece.ts'
import { loadShippedVocabulary } from '../../src/vocabulary/shipped-vocabulary.ts'
import { seeded } from '../support/seeded.ts'

test('20,000 random pieces have as many tokens with the cache as without it', () => {
  const { tables } = loadShippedVocabulary('o200k_base')
  const cached = createBpeState(tables)
  const uncached = createBpeState(tables)
  const random = seeded(43)
  for (let index = 0; index < 20_000; index += 1) {
    const bytes = Uint8Array.from({ length: 32 }, () => 0x61 + random.below(26))
    const piece = { bytes, view: new DataView(bytes.buffer), start: 0, stop: 4 + random.below(12) }
    expect(countPiece(cached, piece)).toBe(countUncached(uncached, piece))
  }
})
