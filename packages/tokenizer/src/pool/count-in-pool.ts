import { setImmediate } from 'node:timers/promises'
import type { CounterName } from '../counter/counter-name.ts'
import { counterSpecs, factorsOn } from '../counter/counter-specs.ts'
import type { TokenCount } from '../counter/token-count.ts'
import { type NormalForm, upperBoundParts } from '../counter/upper-bound.ts'
import { sliceText } from '../engine/scan/text-window.ts'
import type { Vocabulary } from '../engine/table/table-file.ts'
import type { CountReply } from './count-job.ts'
import type { CountEnd } from './token-counter.ts'
import type { JobSource, PoolJob, WorkerPool } from './worker-pool.ts'

/** Texts of one request for the pool. */
export type PooledTexts = {
  readonly counter: CounterName
  readonly vocabulary: Vocabulary
  readonly texts: readonly string[]
  /** Thread time after which the rest is counted by its upper bound. */
  readonly milliseconds: number
  /** The rest is not counted once the texts are known to have more tokens than this. */
  readonly atMost: number
  readonly signals: readonly AbortSignal[]
}

/** A count per text; `counted` is false if part of it was not counted. */
export type PooledResults = readonly { readonly count: TokenCount; readonly counted: boolean }[]

export type PooledCounts = {
  readonly results: PooledResults
  /** What ended the count before all texts were counted. */
  readonly endedBy: CountEnd | undefined
}

/** UTF-16 units of a job: a few milliseconds of work, then the next request gets a turn. */
const jobUnits = 128 << 10

/** UTF-16 units cut into slices per turn of the event loop: eight milliseconds of work. */
const unitsPerTurn = 1 << 20

/** Terms of bounds summed per turn of the event loop: a few milliseconds of work. */
const partsPerTurn = 256

/** A slice of one text. */
type Slice = { readonly place: number; readonly text: string }

/** Counts in threads. Rejects with a signal's reason, or TokenWorkerError if a thread crashes. */
export async function countInPool(pool: WorkerPool, request: PooledTexts): Promise<PooledCounts> {
  const slices = await slicesOf(request)
  for (const signal of request.signals) signal.throwIfAborted()
  const known = endOf(request, { tokens: 0, spent: 0 })
  if (slices.length === 0 || known !== undefined)
    return await assemble(request, slices, { found: [], end: known })
  return await new Promise((resolve, reject) => {
    const found: TokenCount[] = []
    const firstOf = new Map<PoolJob, number>()
    const work = { tokens: 0, spent: 0 }
    let taken = 0

    function next(): PoolJob | undefined {
      if (taken === slices.length || endOf(request, work) !== undefined) return undefined
      const stop = jobEnd(slices, taken)
      const texts = slices.slice(taken, stop).map(({ text }) => text)
      const { counter, vocabulary } = request
      const job = { counter, vocabulary, texts, milliseconds: request.milliseconds - work.spent }
      firstOf.set(job, taken)
      taken = stop
      return job
    }

    function done(job: PoolJob, { counts, milliseconds }: CountReply): void {
      const first = firstOf.get(job) ?? 0
      firstOf.delete(job)
      for (const [index, count] of counts.entries()) {
        found[first + index] = count
        work.tokens += count.tokens
      }
      work.spent += milliseconds
      const end = endOf(request, work)
      const last = taken === slices.length || end !== undefined
      if (last && firstOf.size === 0)
        settle(() => resolve(assemble(request, slices, { found, end })))
    }

    function settle(end: () => void): void {
      for (const [signal, stop] of stops) signal.removeEventListener('abort', stop)
      withdraw()
      end()
    }

    const stops = request.signals.map((signal) => {
      const stop = (): void => settle(() => reject(signal.reason))
      signal.addEventListener('abort', stop)
      return [signal, stop] as const
    })
    const source: JobSource = { next, done, failed: (error) => settle(() => reject(error)) }
    const withdraw = pool.submit(source)
  })
}

/** Why the count stops here, if it does. */
function endOf(
  { atMost, milliseconds }: PooledTexts,
  { tokens, spent }: { readonly tokens: number; readonly spent: number },
): CountEnd | undefined {
  if (tokens > atMost) return 'limit'
  return spent >= milliseconds ? 'deadline' : undefined
}

/**
 * Exact counts of slices add up; estimates depend on the whole text. The event loop gets its turn now
 * and then: a place to cut is looked for in all of a text that has none.
 */
async function slicesOf(request: PooledTexts): Promise<readonly Slice[]> {
  const exact = isExact(request)
  const slices: Slice[] = []
  let units = 0
  for (const [place, text] of request.texts.entries()) {
    for (const slice of exact ? sliceText(text, jobUnits) : [text]) {
      slices.push({ place, text: slice })
    }
    units += text.length
    if (units < unitsPerTurn) continue
    units = 0
    await setImmediate()
  }
  return slices
}

function isExact({ counter, vocabulary }: PooledTexts): boolean {
  return factorsOn(counter, vocabulary.header.encoding) === null
}

function jobEnd(slices: readonly Slice[], start: number): number {
  let units = 0
  let stop = start
  while (stop < slices.length && units < jobUnits) {
    units += slices[stop]?.text.length ?? 0
    stop += 1
  }
  return stop
}

async function assemble(
  request: PooledTexts,
  slices: readonly Slice[],
  {
    found,
    end,
  }: { readonly found: readonly (TokenCount | undefined)[]; readonly end: CountEnd | undefined },
): Promise<PooledCounts> {
  const results = request.texts.map(() => ({ count: zero, counted: true }))
  const forms = normalFormsOf(request)
  let parts = 0
  for (const [index, { place, text }] of slices.entries()) {
    const known = found[index]
    const result = results[place]
    if (result === undefined) continue
    if (known !== undefined) {
      result.count = add(result.count, known)
      continue
    }
    result.counted = false
    if (end === 'limit') continue
    for (const part of upperBoundParts(text, Buffer.byteLength(text), forms)) {
      result.count = add(result.count, { tokens: part, method: 'estimate', upperBound: part })
      parts += 1
      if (parts % partsPerTurn === 0) await setImmediate()
    }
  }
  const isWhole = results.every(({ counted }) => counted)
  return { results, endedBy: isWhole ? undefined : (end ?? 'deadline') }
}

function normalFormsOf(request: PooledTexts): readonly NormalForm[] {
  if (!isExact(request)) return counterSpecs[request.counter].normalForms ?? []
  return request.vocabulary.header.normalization === 'NFC' ? ['NFC'] : []
}

const zero: TokenCount = { tokens: 0, method: 'exact', upperBound: 0 }

function add(a: TokenCount, b: TokenCount): TokenCount {
  return {
    tokens: a.tokens + b.tokens,
    method: a.method === 'exact' ? b.method : 'estimate',
    upperBound: a.upperBound + b.upperBound,
  }
}
