import { open, readFile, readlink } from 'node:fs/promises'
import { errorCode, isMissing } from '../terminal/error-code.ts'

/** How long a process of another container counts as running after it last touched its lock. */
const staleMs = 60_000

/**
 * Identifies this process, as text. Its number alone does not: another process gets it after a
 * restart, and in each container the numbers begin at 1 again.
 */
export async function processMark(): Promise<string> {
  const { boot, space } = await place()
  return [process.pid, boot, space, await startOf(process.pid)].join(' ').trimEnd()
}

/** The process that wrote its mark into a file; `none` if there is no file. */
export type Owner = 'running' | 'ended' | 'none'

/** What became of the process that wrote its mark into this file. */
export async function ownerOf(path: string): Promise<Owner> {
  try {
    const file = await open(path)
    try {
      const { mtimeMs } = await file.stat()
      return (await isOwnerRunning(await file.readFile('utf8'), mtimeMs)) ? 'running' : 'ended'
    } finally {
      await file.close()
    }
  } catch (error) {
    if (isMissing(error)) return 'none'
    throw error
  }
}

async function isOwnerRunning(mark: string, touchedMs: number): Promise<boolean> {
  const [number = '', boot, space, start] = mark.trim().split(' ')
  const pid = /^[1-9]\d{0,9}$/.test(number) ? Number(number) : undefined
  if (pid === undefined) return false
  const here = await place()
  if (start === undefined || here.boot === '') return isRunning(pid)
  if (boot !== here.boot) return false
  if (space !== here.space) return Date.now() - touchedMs < staleMs
  return start === (await startOf(pid))
}

type Place = {
  /** Changes when the machine starts; empty where it is not known. */
  readonly boot: string
  /** The namespace of the numbers of processes. */
  readonly space: string
}

/** Known on Linux; elsewhere the number of the process has to be enough. */
async function place(): Promise<Place> {
  const [boot, space] = await Promise.all([
    readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => ''),
    readlink('/proc/self/ns/pid').catch(() => ''),
  ])
  return space === '' ? { boot: '', space: '' } : { boot: boot.trim(), space }
}

/** When a process began, in ticks since the start of the machine; empty if it does not run. */
async function startOf(pid: number): Promise<string> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The name of the program comes before, and may contain anything.
  return status.slice(status.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}
