import { Worker } from 'node:worker_threads'
import type { ParsedJson } from './parse-json.ts'

/** Bytes on their way to the thread. */
export type JsonJob = { readonly id: number; readonly blocks: readonly Uint8Array[] }

export type JsonReply = { readonly id: number; readonly parsed: ParsedJson }

/** A thread that parses JSON. */
export type JsonThread = {
  /** Takes over the memory of the blocks. Rejects with JsonThreadError if the thread ends. */
  readonly parse: (blocks: readonly OwnBytes[]) => Promise<ParsedJson>
}

/** Bytes whose memory can be handed over, also in the types of TypeScript before 5.7. */
type OwnBytes = Uint8Array & { readonly buffer: ArrayBuffer }

type Waiting = {
  readonly resolve: (parsed: ParsedJson) => void
  readonly reject: (error: Error) => void
}

type Running = { readonly worker: Worker; readonly waiting: Map<number, Waiting> }

/** A thread that starts when first needed, is replaced when it ends, and keeps no process alive. */
export function createJsonThread(file: URL = workerUrl()): JsonThread {
  let running: Running | undefined
  let lastId = 0

  function start(): Running {
    const started = openWorker(file, () => {
      if (running === started) running = undefined
    })
    return started
  }

  return {
    parse: (blocks) =>
      new Promise((resolve, reject) => {
        running ??= start()
        lastId += 1
        running.waiting.set(lastId, { resolve, reject })
        const job: JsonJob = { id: lastId, blocks }
        running.worker.postMessage(
          job,
          blocks.map(({ buffer }) => buffer),
        )
      }),
  }
}

function openWorker(file: URL, onEnd: () => void): Running {
  const worker = new Worker(file, { execArgv: [] })
  const waiting: Running['waiting'] = new Map()
  worker.on('message', ({ id, parsed }: JsonReply) => {
    waiting.get(id)?.resolve(parsed)
    waiting.delete(id)
  })
  const end = (cause: Error): void => {
    onEnd()
    for (const { reject } of waiting.values()) reject(new JsonThreadError(cause))
    waiting.clear()
  }
  worker.on('error', end)
  worker.on('exit', (code) => {
    end(new Error(`exit code ${code}`))
  })
  worker.unref()
  return { worker, waiting }
}

/** Next to this module: a source in the repository, built in a package. */
function workerUrl(): URL {
  const file = import.meta.url.endsWith('.ts') ? '../json-worker.ts' : './json-worker.js'
  return new URL(file, import.meta.url)
}

/** The thread ended while it parsed; the request may be repeated. */
export class JsonThreadError extends Error {
  override readonly name = 'JsonThreadError'
  readonly code = 'json_thread'

  constructor(cause: Error) {
    super(`The thread that parses JSON ended: ${cause.message}`, { cause })
  }
}
