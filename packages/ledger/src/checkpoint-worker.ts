import { parentPort, workerData } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'
import type { CheckpointStep } from './sql/sqlite/checkpoint-thread.ts'

// A reader or another process that holds the log is not waited for: the next checkpoint copies more.
const database = new Sqlite(String(workerData), { fileMustExist: true, timeout: 0 })

parentPort?.on('message', (step: CheckpointStep | 'close') => {
  if (step === 'close') {
    database.close()
    parentPort?.close()
    return
  }
  database.pragma(`wal_checkpoint(${step})`)
  parentPort?.postMessage(step)
})
