import { parentPort, workerData } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'
import type { CheckpointStep } from './sql/sqlite/checkpoint-thread.ts'

// It waits for no reader and no other process: what they hold is copied by a later step.
const database = new Sqlite(String(workerData), { fileMustExist: true, timeout: 0 })

parentPort?.on('message', (step: CheckpointStep | 'close') => {
  if (step === 'close') {
    database.close()
    parentPort?.close()
    return
  }
  try {
    database.pragma(`wal_checkpoint(${step})`)
  } catch {
    // The disk may be full for now. SQLite ignores it too when a commit copies the log.
  }
  parentPort?.postMessage(step)
})
