import type { CounterName } from '../counter/counter-name.ts'
import type { EstimateFactors } from '../counter/estimate-factors.ts'
import type { TokenCount } from '../counter/token-count.ts'
import type { TableHeader } from '../engine/table/table-file.ts'

/** Factors of the user's own, by counter. */
export type FactorsByCounter = Readonly<Partial<Record<CounterName, EstimateFactors>>>

/** What a worker is started with. */
export type WorkerStart = {
  /** The id of a job that is to stop. */
  readonly stopped: SharedArrayBuffer
  readonly factors: FactorsByCounter
}

/** A vocabulary on its way to a worker: the memory is shared, not copied. */
export type SharedVocabulary = {
  readonly header: TableHeader
  readonly memory: Uint8Array
}

/** Texts to count for one request, and the vocabulary if the worker lacks it. */
export type CountJob = {
  readonly id: number
  readonly counter: CounterName
  readonly vocabulary: SharedVocabulary | TableHeader['encoding']
  readonly texts: readonly string[]
  /** After so long the job ends with what it has. */
  readonly milliseconds: number
}

/** As many counts as were done in time, and how long they took. */
export type CountReply = {
  readonly id: number
  readonly counts: readonly TokenCount[]
  readonly milliseconds: number
}
