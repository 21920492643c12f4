import { expect, test } from 'vitest'
import { createBpeState } from '../../src/engine/bpe/bpe-state.ts'
import { countUncached } from '../../src/engine/bpe/count-piece.ts'
import { createEarlyMerges } from '../../src/engine/bpe/early-merges.ts'
import { longestMatch, mergePiece } from '../../src/engine/bpe/merge-piece.ts'
import { isShort, mergeShort } from '../../src/engine/bpe/merge-short.ts'
import type { Piece } from '../../src/engine/bpe/piece.ts'
import { loadShippedVocabulary } from '../../src/vocabulary/shipped-vocabulary.ts'
import { corpora } from '../support/corpora.ts'
import { fuzzString } from '../support/fuzz.ts'
import { seeded } from '../support/seeded.ts'

/** Words of real text and fuzz, cut anywhere, also within a character. */
function pieces(): readonly Piece[] {
  const random = seeded(41)
  const texts = [
    ...corpora(8_000).values(),
    ...Array.from({ length: 2_000 }, () => fuzzString(random)),
  ]
  return texts.flatMap((text) => {
    const bytes = new TextEncoder().encode(text)
    const view = new DataView(bytes.buffer)
    const found: Piece[] = []
    for (let start = 0; start < bytes.length; ) {
      const stop = Math.min(bytes.length, start + 1 + random.below(40))
      found.push({ bytes, view, start, stop })
      start = stop
    }
    return found
  })
}

test.each(['o200k_base', 'cl100k_base', 'r50k_base'] as const)(
  '%s: short pieces, unless they are tokens, have as many tokens merged in order as by the longest match',
  (encoding) => {
    const { tables } = loadShippedVocabulary(encoding)
    const state = createBpeState(tables)
    const early = createEarlyMerges(tables)
    const found = pieces().filter((piece) => isShort(state, piece))
    expect(found.length).toBeGreaterThan(5_000)
    for (const piece of found) {
      const first = tables.tokenAt[longestMatch(state, piece, piece.start)] ?? 0
      if (state.matchEnd === piece.stop) continue
      const expected = mergePiece(state, piece, first)
      const merged = mergeShort(state, early, piece)
      if (merged > 0) expect(merged).toBe(expected)
      else expect(piece.stop - piece.start).toBeGreaterThan(31)
    }
  },
)

test('a short piece of 40 parts has 40 tokens', () => {
  const { tables } = loadShippedVocabulary('o200k_base')
  const state = createBpeState(tables)
  tables.early = createEarlyMerges(tables)
  const bytes = new TextEncoder().encode('zq'.repeat(20))
  const piece = { bytes, view: new DataView(bytes.buffer), start: 0, stop: bytes.length }
  expect(mergeShort(state, tables.early, piece)).toBe(0)
  expect(countUncached(state, piece)).toBe(40)
})
