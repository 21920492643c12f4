import type { CounterName } from '../counter/counter-name.ts'
import type { EstimateFactors } from '../counter/estimate-factors.ts'
import type { TokenCount } from '../counter/token-count.ts'
import type { TableHeader } from '../engine/table/table-file.ts'

/** The user's factors, by counter. */
export type FactorsByCounter = Readonly<Partial<Record<CounterName, EstimateFactors>>>

/** The start-up data of a worker. */
export type WorkerStart = {
  /** The id of a job to stop. */
  readonly stopped: SharedArrayBuffer
  readonly factors: FactorsByCounter
}

/** A vocabulary sent to a worker: the memory is shared, not copied. */
export type SharedVocabulary = {
  readonly header: TableHeader
  readonly memory: Uint8Array
}

/** Texts to count for one request, and the vocabulary if the worker does not have it yet. */
export type CountJob = {
  readonly id: number
  readonly counter: CounterName
  readonly vocabulary: SharedVocabulary | TableHeader['encoding']
  readonly texts: readonly string[]
  /** After this time the job returns what it has counted. */
  readonly milliseconds: number
}

/** The counts finished in time, and how long they took. */
export type CountReply = {
  readonly id: number
  readonly counts: readonly TokenCount[]
  readonly milliseconds: number
}
