import { Worker } from 'node:worker_threads'
import type { EncodingName } from '../engine/encoding-name.ts'
import type { Vocabulary } from '../engine/table/table-file.ts'
import type { CountJob, CountReply, FactorsByCounter, WorkerStart } from './count-job.ts'

/** A job without the fields that the pool adds. */
export type PoolJob = Pick<CountJob, 'counter' | 'texts' | 'milliseconds'> & {
  readonly vocabulary: Vocabulary
}

/** The jobs of one request. The pool takes one at a time, in turn with other requests. */
export type JobSource = {
  /** Returns the next job, or `undefined` after the last one. */
  readonly next: () => PoolJob | undefined
  readonly done: (job: PoolJob, reply: CountReply) => void
  readonly failed: (error: Error) => void
}

export type WorkerPool = {
  /** Queues a request; the returned function removes it and stops its running jobs. */
  readonly submit: (source: JobSource) => () => void
  readonly close: () => Promise<void>
}

type Running = { readonly id: number; readonly source: JobSource; readonly job: PoolJob }

type Slot = {
  readonly worker: Worker
  readonly stoppedId: Int32Array
  readonly known: Set<EncodingName>
  running: Running | undefined
}

export type WorkerPoolOptions = {
  readonly workers: number
  readonly factors: FactorsByCounter
  /** The module that each thread runs; `count-worker` by default. */
  readonly file?: URL
}

/** Threads that start on first use, alternate between requests, and are replaced if they crash. */
export function createWorkerPool({ workers, factors, file }: WorkerPoolOptions): WorkerPool {
  const slots = new Set<Slot>()
  const queue: JobSource[] = []
  let lastId = 0

  function startJobs(): void {
    while (queue.length > 0) {
      const slot = idleSlot(slots) ?? (slots.size < workers ? openSlot() : undefined)
      if (slot === undefined) return
      const source = queue.shift()
      const job = source?.next()
      if (source === undefined || job === undefined) continue
      queue.push(source)
      lastId = (lastId + 1) | 0
      start(slot, { id: lastId, source, job })
    }
  }

  function openSlot(): Slot {
    const slot = createSlot(file ?? workerUrl(), factors)
    const { worker } = slot
    slots.add(slot)
    worker.on('message', (reply: CountReply) => finish(slot, reply))
    worker.on('error', (error: Error) => drop(slot, error))
    worker.on('exit', (code) => drop(slot, new Error(`exit code ${code}`)))
    return slot
  }

  function finish(slot: Slot, reply: CountReply): void {
    const { running } = slot
    slot.running = undefined
    slot.worker.unref()
    if (running?.id === reply.id) running.source.done(running.job, reply)
    startJobs()
  }

  function drop(slot: Slot, cause: Error): void {
    if (!slots.delete(slot)) return
    slot.running?.source.failed(new TokenWorkerError(cause))
    startJobs()
  }

  return {
    submit: (source) => {
      queue.push(source)
      startJobs()
      return () => {
        const place = queue.indexOf(source)
        if (place >= 0) queue.splice(place, 1)
        stopJobsOf(source, slots)
      }
    },
    close: async () => {
      queue.length = 0
      const open = [...slots]
      slots.clear()
      await Promise.all(open.map(({ worker }) => worker.terminate()))
    },
  }
}

/** An idle thread; it does not keep the process alive. */
function createSlot(file: URL, factors: FactorsByCounter): Slot {
  const stopped = new SharedArrayBuffer(4)
  const workerData: WorkerStart = { stopped, factors }
  const worker = new Worker(file, { workerData, execArgv: [] })
  worker.unref()
  return { worker, stoppedId: new Int32Array(stopped), known: new Set(), running: undefined }
}

function idleSlot(slots: Iterable<Slot>): Slot | undefined {
  for (const slot of slots) if (slot.running === undefined) return slot
  return undefined
}

function start(slot: Slot, running: Running): void {
  slot.running = running
  slot.worker.ref()
  slot.worker.postMessage(message(slot, running))
}

function stopJobsOf(source: JobSource, slots: Iterable<Slot>): void {
  for (const { running, stoppedId } of slots) {
    if (running?.source === source) Atomics.store(stoppedId, 0, running.id)
  }
}

function message(slot: Slot, { id, job }: Running): CountJob {
  const { counter, texts, milliseconds, vocabulary } = job
  const { header, memory } = vocabulary
  const known = slot.known.has(header.encoding)
  slot.known.add(header.encoding)
  return {
    id,
    counter,
    texts,
    milliseconds,
    vocabulary: known ? header.encoding : { header, memory },
  }
}

/** In the folder above in the repository; in the same folder once built. */
function workerUrl(): URL {
  const file = import.meta.url.endsWith('.ts') ? '../count-worker.ts' : './count-worker.js'
  return new URL(file, import.meta.url)
}

/** A thread crashed while counting; the request may be retried. */
export class TokenWorkerError extends Error {
  override readonly name = 'TokenWorkerError'
  readonly code = 'token_worker'

  constructor(cause: Error) {
    super(`A counting thread crashed: ${cause.message}`, { cause })
  }
}
