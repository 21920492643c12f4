import { expect, test } from 'vitest'
import { proofSize } from '../../../../scripts/testing/proof-size.ts'
import { countTokens, createEngine, type Engine } from '../../src/engine/engine.ts'
import {
  loadShippedVocabulary,
  type ShippedEncoding,
} from '../../src/vocabulary/shipped-vocabulary.ts'
import { shapes } from '../support/adversarial.ts'

/** Counts trie steps, candidates and pair checks, which do not depend on the machine. */
function steps(engine: Engine, text: string): number {
  engine.state.pairMemo.fill(-1)
  engine.state.pieceMemo.fill(0)
  const before = engine.state.steps
  countTokens(engine, text)
  return engine.state.steps - before
}

const encodings: readonly ShippedEncoding[] = [
  'o200k_base',
  'cl100k_base',
  'r50k_base',
  'qwen',
  'deepseek',
  'tekken',
]

const length = proofSize({ quick: 30_000, all: 100_000 })

/** Vocabularies with a token for many lengths of a run have the longest chains. */
const maxStepsPerByte = 64

test.each(encodings)('%s takes a linear number of steps on any text', (encoding) => {
  const engine = createEngine(loadShippedVocabulary(encoding))
  for (const { name, make } of shapes) {
    const short = steps(engine, make(length / 10))
    const text = make(length)
    const long = steps(engine, text)
    const growth = long / short
    expect({ name, linear: growth < 12 }, `${name} grew ${growth}`).toEqual({ name, linear: true })
    const perByte = long / Buffer.byteLength(text)
    expect({ name, bounded: perByte < maxStepsPerByte }, `${name} takes ${perByte}`).toEqual({
      name,
      bounded: true,
    })
  }
})

test('the memory of a long piece is released', () => {
  const engine = createEngine(loadShippedVocabulary('r50k_base'))
  const { state, window } = engine
  const kept = (): number =>
    [state.stack, state.runs, state.dead, state.bytes, state.pairMemo, window.bytes]
      .map(({ byteLength }) => byteLength)
      .reduce((sum, size) => sum + size)
  countTokens(engine, 'a')
  const before = kept()
  countTokens(engine, `${'a'.repeat(1_000_000)}b${'的'.repeat(1_000_000)}`)
  expect(kept()).toBeLessThan(before + 100_000)
})
