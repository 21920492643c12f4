import { readFile, unlink, utimes } from 'node:fs/promises'
import { createFile } from '../terminal/create-file.ts'
import { isMissing } from '../terminal/error-code.ts'
import { ownerOf, processMark } from './process-mark.ts'

/** A lock that only this process holds. */
export type FileLock = { release(): Promise<void> }

/** How often a lock is created again that was gone when its owner was read. */
const attempts = 20

/**
 * Creates the file with the mark of this process; `undefined` while another process holds it. A lock
 * whose process has ended is taken over, by one process at a time.
 */
export async function lockFile(path: string): Promise<FileLock | undefined> {
  const mark = await processMark()
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    if (await createFile(path, mark)) return hold(path, mark)
    const owner = await ownerOf(path)
    if (owner === 'running') return undefined
    if (owner === 'ended') return await takeOver(path, mark)
    // Released in between: whatever is there next is the lock of a process that is running.
  }
  return undefined
}

async function takeOver(path: string, mark: string): Promise<FileLock | undefined> {
  // It may be left over too, from a process that was killed while it took a lock over.
  const takeover = await lockFile(`${path}.takeover`)
  if (takeover === undefined) return undefined
  try {
    // Another process may have taken it over in between.
    const owner = await ownerOf(path)
    if (owner === 'running') return undefined
    if (owner === 'ended') await remove(path)
    return (await createFile(path, mark)) ? hold(path, mark) : undefined
  } finally {
    await takeover.release()
  }
}

/** Well within the time after which a lock counts as left over. */
const heartbeatMs = 15_000

function hold(path: string, mark: string): FileLock {
  const heartbeat = setInterval(() => {
    const now = new Date()
    // A folder that can no longer be written is reported when something is saved there.
    utimes(path, now, now).catch(() => undefined)
  }, heartbeatMs)
  heartbeat.unref()
  return {
    async release() {
      clearInterval(heartbeat)
      // A process that slept too long has lost its lock to another.
      if ((await readFile(path, 'utf8').catch(unlessMissing)) === mark) await remove(path)
    },
  }
}

async function remove(path: string): Promise<void> {
  await unlink(path).catch(unlessMissing)
}

function unlessMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error
}
