import { readFile, unlink } from 'node:fs/promises'
import { createFile } from '../terminal/create-file.ts'

/** A lock that only this process holds. */
export type FileLock = { release(): Promise<void> }

/**
 * Creates the file with the number of this process; `undefined` while another process holds it. A lock
 * whose process has ended is taken over, by one process at a time.
 */
export async function lockFile(path: string): Promise<FileLock | undefined> {
  const holder = String(process.pid)
  const isTaken = await createFile(path, holder)
  if (isTaken) return { release: async () => await remove(path) }
  if (await isHeld(path)) return undefined
  // It may be left over too, from a process that was killed while it took a lock over.
  const takeover = await lockFile(`${path}.takeover`)
  if (takeover === undefined) return undefined
  try {
    // Another process may have taken it over in between.
    if (await isHeld(path)) return undefined
    await remove(path)
    return (await createFile(path, holder))
      ? { release: async () => await remove(path) }
      : undefined
  } finally {
    await takeover.release()
  }
}

/** The process that holds a lock; `undefined` if none does. */
async function lockHolder(path: string): Promise<number | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '')
  const pid = Number(text)
  return Number.isInteger(pid) && pid > 0 && isRunning(pid) ? pid : undefined
}

async function isHeld(path: string): Promise<boolean> {
  return (await lockHolder(path)) !== undefined
}

async function remove(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error
  })
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
