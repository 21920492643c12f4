import { expect, test } from 'vitest'
import { childSlot } from '../../src/engine/bpe/trie.ts'
import { appendToken, atomBytes } from '../../src/engine/table/token-bytes.ts'
import { loadShippedVocabulary } from '../../src/vocabulary/shipped-vocabulary.ts'

/** Slots in a page of memory. */
const pageSlots = 1024

test('a walk along a token of o200k_base changes the page of the trie fewer than 2.6 times on average', () => {
  const vocabulary = loadShippedVocabulary('o200k_base')
  const { tables } = vocabulary
  const atoms = atomBytes(vocabulary)
  let changes = 0
  for (let token = 0; token < tables.firstPart; token += 1) {
    const bytes: number[] = []
    appendToken(bytes, token, { tables, atoms })
    let slot = 0
    for (const byte of bytes) {
      const next = childSlot(tables.nodes, slot, byte)
      if (Math.floor(next / pageSlots) !== Math.floor(slot / pageSlots)) changes += 1
      slot = next
    }
  }
  expect(changes / tables.firstPart).toBeLessThan(2.6)
})
