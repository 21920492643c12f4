import { unlink, utimes } from 'node:fs/promises'
import { createFile } from '../terminal/create-file.ts'
import { isMarkAlive, processMark } from './process-mark.ts'

/** A lock that only this process holds. */
export type FileLock = { release(): Promise<void> }

/**
 * Creates the file with the mark of this process; `undefined` while another process holds it. A lock
 * whose process has ended is taken over, by one process at a time.
 */
export async function lockFile(path: string): Promise<FileLock | undefined> {
  const mark = await processMark()
  if (await createFile(path, mark)) return hold(path)
  if (await isMarkAlive(path)) return undefined
  // It may be left over too, from a process that was killed while it took a lock over.
  const takeover = await lockFile(`${path}.takeover`)
  if (takeover === undefined) return undefined
  try {
    // Another process may have taken it over in between.
    if (await isMarkAlive(path)) return undefined
    await remove(path)
    return (await createFile(path, mark)) ? hold(path) : undefined
  } finally {
    await takeover.release()
  }
}

/** Well within the time that a silent process counts as running. */
const signMs = 15_000

function hold(path: string): FileLock {
  const signs = setInterval(() => {
    const now = new Date()
    // A state folder that can no longer be written is noticed by what is written there.
    utimes(path, now, now).catch(() => undefined)
  }, signMs)
  signs.unref()
  return {
    async release() {
      clearInterval(signs)
      await remove(path)
    },
  }
}

async function remove(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  })
}
