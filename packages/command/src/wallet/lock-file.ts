import { unlink, utimes } from 'node:fs/promises'
import { createFile } from '../terminal/create-file.ts'
import { errorCode } from '../terminal/error-code.ts'
import { isOwnerRunning, processMark } from './process-mark.ts'

/** A lock that only this process holds. */
export type FileLock = { release(): Promise<void> }

/**
 * Creates the file with the mark of this process; `undefined` while another process holds it. A lock
 * whose process has ended is taken over, by one process at a time.
 */
export async function lockFile(path: string): Promise<FileLock | undefined> {
  const mark = await processMark()
  if (await createFile(path, mark)) return hold(path)
  if (await isOwnerRunning(path)) return undefined
  // It may be left over too, from a process that was killed while it took a lock over.
  const takeover = await lockFile(`${path}.takeover`)
  if (takeover === undefined) return undefined
  try {
    // Another process may have taken it over in between.
    if (await isOwnerRunning(path)) return undefined
    await remove(path)
    return (await createFile(path, mark)) ? hold(path) : undefined
  } finally {
    await takeover.release()
  }
}

/** Well within the time after which a lock counts as left over. */
const heartbeatMs = 15_000

function hold(path: string): FileLock {
  const heartbeat = setInterval(() => {
    const now = new Date()
    // A folder that can no longer be written is reported when something is saved there.
    utimes(path, now, now).catch(() => undefined)
  }, heartbeatMs)
  heartbeat.unref()
  return {
    async release() {
      clearInterval(heartbeat)
      await remove(path)
    },
  }
}

async function remove(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error
  })
}
