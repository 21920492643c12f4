import { Worker } from 'node:worker_threads'

/** `passive` copies the log while others write. `restart` keeps writers out, and copies all of it. */
export type CheckpointStep = 'passive' | 'restart'

/** A thread with its own connection, which copies the write-ahead log into the database. */
export type CheckpointThread = {
  /**
   * Resolves once the step is done, as far as readers and the disk allow; rejects if the thread has
   * ended.
   */
  run(step: CheckpointStep): Promise<void>
  close(): Promise<void>
}

export function startCheckpointThread(
  databaseFile: string,
  program: URL = workerUrl(),
): CheckpointThread {
  const worker = new Worker(program, { workerData: databaseFile, execArgv: [] })
  worker.unref()
  let waiting: PromiseWithResolvers<void> | undefined
  let failure: Error | undefined
  const ended = new Promise<void>((resolve) => {
    worker.once('exit', (code) => {
      failure ??= new Error(`the thread ended with exit code ${code}`)
      waiting?.reject(failure)
      resolve()
    })
  })
  worker.once('error', (error: Error) => {
    failure = error
  })
  worker.on('message', () => waiting?.resolve())

  return {
    async run(step) {
      if (failure !== undefined) throw failure
      waiting = Promise.withResolvers()
      // A write may wait for this step, and a process must not end before its last write.
      worker.ref()
      worker.postMessage(step)
      try {
        await waiting.promise
      } finally {
        worker.unref()
      }
    },
    async close() {
      worker.ref()
      worker.postMessage('close')
      await ended
    },
  }
}

/** As a source in the repository, built in a package. */
function workerUrl(): URL {
  const file = import.meta.url.endsWith('.ts')
    ? '../../checkpoint-worker.ts'
    : './checkpoint-worker.js'
  return new URL(file, import.meta.url)
}
