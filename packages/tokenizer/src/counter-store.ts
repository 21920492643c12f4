import type { FactorsByCounter } from './count-job.ts'
import { type Counter, createCounter, encodingsOf } from './counter.ts'
import type { CounterName } from './counter-name.ts'
import { counterSpecs, factorsOn } from './counter-specs.ts'
import { tokenizerOf } from './create-tokenizer.ts'
import type { Vocabulary } from './engine/table-file.ts'
import type { TokenCount } from './token-count.ts'
import { createVocabularyStore, type VocabularyFiles } from './vocabulary-store.ts'

/** Counters and their vocabularies, each loaded when first asked for. */
export type CounterStore = {
  readonly vocabularyOf: (name: CounterName) => Vocabulary
  readonly counterOf: (name: CounterName) => Counter
  /** How a counter counts a text alone. */
  readonly textMethodOf: (name: CounterName) => TokenCount['method']
}

export type CounterStoreOptions = {
  readonly vocabularies: VocabularyFiles
  readonly factors: FactorsByCounter
}

export function createCounterStore({ vocabularies, factors }: CounterStoreOptions): CounterStore {
  const store = createVocabularyStore(vocabularies)
  const counters = new Map<CounterName, Counter>()
  const vocabularyOf = (name: CounterName): Vocabulary =>
    store.load(encodingsOf(name).find(store.has) ?? counterSpecs[name].encoding)
  return {
    vocabularyOf,
    textMethodOf: (name) =>
      factorsOn(name, vocabularyOf(name).header.encoding) === null ? 'exact' : 'estimate',
    counterOf: (name) => {
      const known = counters.get(name)
      if (known !== undefined) return known
      const counter = createCounter(name, tokenizerOf(vocabularyOf(name)), factors[name])
      counters.set(name, counter)
      return counter
    },
  }
}
