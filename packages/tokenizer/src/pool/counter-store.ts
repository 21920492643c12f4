import { type Counter, createCounter, encodingsOf, framingOn } from '../counter/counter.ts'
import type { CounterName } from '../counter/counter-name.ts'
import { counterSpecs, factorsOn } from '../counter/counter-specs.ts'
import type { Framing } from '../counter/framing.ts'
import type { TokenCount } from '../counter/token-count.ts'
import type { EncodingName } from '../engine/encoding-name.ts'
import type { Vocabulary } from '../engine/table/table-file.ts'
import { tokenizerOf } from '../vocabulary/create-tokenizer.ts'
import { createVocabularyStore, type VocabularyFiles } from '../vocabulary/vocabulary-store.ts'
import type { FactorsByCounter } from './count-job.ts'

/** Counters and their vocabularies, each loaded on first use. */
export type CounterStore = {
  readonly vocabularyOf: (name: CounterName) => Vocabulary
  readonly counterOf: (name: CounterName) => Counter
  /** The counter's framing, for which no vocabulary is loaded. */
  readonly framingOf: (name: CounterName) => Framing
  /** Whether a counter counts a text exactly or by an estimate. */
  readonly textMethodOf: (name: CounterName) => TokenCount['method']
}

export type CounterStoreOptions = {
  readonly vocabularies: VocabularyFiles
  readonly factors: FactorsByCounter
}

export function createCounterStore({ vocabularies, factors }: CounterStoreOptions): CounterStore {
  const store = createVocabularyStore(vocabularies)
  const counters = new Map<CounterName, Counter>()
  const encodingOf = (name: CounterName): EncodingName =>
    encodingsOf(name).find(store.has) ?? counterSpecs[name].encoding
  const vocabularyOf = (name: CounterName): Vocabulary => store.load(encodingOf(name))
  return {
    vocabularyOf,
    textMethodOf: (name) =>
      factorsOn(name, vocabularyOf(name).header.encoding) === null ? 'exact' : 'estimate',
    framingOf: (name) => framingOn(name, encodingOf(name), factors[name]),
    counterOf: (name) => {
      const known = counters.get(name)
      if (known !== undefined) return known
      const counter = createCounter(name, tokenizerOf(vocabularyOf(name)), factors[name])
      counters.set(name, counter)
      return counter
    },
  }
}
