import { expect, test } from 'vitest'
import { counterSpecs } from '../../src/counter/counter-specs.ts'
import { meanFactor } from '../../src/counter/estimate-factors.ts'
import { profileText } from '../../src/counter/text-profile.ts'
import { tokenizerOf } from '../../src/vocabulary/create-tokenizer.ts'
import { createVocabularyStore } from '../../src/vocabulary/vocabulary-store.ts'
import { publishedCounts } from '../support/published-counts.ts'

const vocabularies = createVocabularyStore({})

/** Families whose vocabularies are not available: only published counts are known. */
test.each([
  ['llama4', 'Llama 4'],
  ['kimi', 'Kimi K3'],
  ['glm', 'GLM-4.5'],
  ['glm-5', 'GLM-5'],
  ['minimax', 'MiniMax M2'],
] as const)('%s is estimated a little above the published counts of %s', (name, source) => {
  const { encoding, factors } = counterSpecs[name]
  if (factors === null) throw new Error(`${name} is not an estimating counter`)
  const { countTokens } = tokenizerOf(vocabularies.load(encoding))
  let estimated = 0
  let published = 0
  for (const [text, tokens] of publishedCounts[source].counts) {
    estimated += countTokens(text) * meanFactor(factors, profileText(text))
    published += tokens
  }
  expect(estimated / published).toBeGreaterThan(1)
  expect(estimated / published).toBeLessThan(1.15)
})
