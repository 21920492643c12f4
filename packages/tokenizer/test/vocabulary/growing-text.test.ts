import { expect, test } from 'vitest'
import { createTextEngine } from '../../src/engine/text-engine.ts'
import { loadShippedVocabulary } from '../../src/vocabulary/shipped-vocabulary.ts'
import { createStreamCounter } from '../../src/vocabulary/stream-counter.ts'
import { seeded } from '../support/seeded.ts'

const encodings = [
  'o200k_base',
  'cl100k_base',
  'r50k_base',
  'p50k_base',
  'qwen',
  'tekken',
  'deepseek',
] as const

const units = [
  ...['a', 'b', 's', 'l', 'r', 'e', 'A', 'B', 'é', 'я', 'Я', 'ʰ', 'ſ', 'ا', 'ก', '的', 'か', 'カ'],
  ...['가', 'ᄀ', 'ᅡ', 'ᆨ', '\u0301', '1', '٣', ' ', '\n', '\r\n', '\t', '=', '-', '/', '.', "'"],
  ...['😂', '\ud83d', '\udc00', '\u0378'],
]

test.each(encodings)('%s counts long runs as they grow, and what follows them', (encoding) => {
  const vocabulary = loadShippedVocabulary(encoding)
  const { growing, ...engine } = createTextEngine(vocabulary)
  const random = seeded(15)
  for (let round = 0; round < 10; round += 1) {
    const counter = createStreamCounter({ ...engine, growing })
    let text = ''
    for (let run = 0; run < 6; run += 1) {
      const kinds = Array.from({ length: 1 + random.below(2) }, () => random.pick(units))
      const length = random.below(3) === 0 ? 300 + random.below(100) : 1 + random.below(6)
      const added = Array.from({ length }, () => random.pick(kinds)).join('')
      for (let at = 0; at < added.length; ) {
        const next = at + 1 + random.below(30)
        const counted = counter.write(added.slice(at, next))
        text += added.slice(at, next)
        at = next
        expect(counted, JSON.stringify(text)).toBe(engine.countTokens(text))
      }
    }
  }
})

test.each(['a', '的', '=', ' ', 'ha', '12345', 'aB'])(
  'a run of %j is not counted again for each part',
  (part) => {
    let counted = 0
    const engine = createTextEngine(loadShippedVocabulary('o200k_base'))
    const { write } = createStreamCounter({
      ...engine,
      countTokens: (text) => {
        counted += text.length
        return engine.countTokens(text)
      },
    })
    const run = part.repeat(1_500)
    let tokens = 0
    for (const character of run) tokens = write(character)
    expect(tokens).toBe(engine.countTokens(run))
    // A word is counted as a whole until it has 256 bytes, a stable cut is found after 64 units.
    expect(counted).toBeLessThan(256 ** 2 + 64 * run.length)
  },
)
