import { readFileSync } from 'node:fs'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DevnetError } from '../devnet-error.ts'
import { genesisFile } from './genesis-file.ts'
import { makeFolder } from './make-folder.ts'

export type StateFile = {
  readonly anvilArgs: readonly string[]
  /** Whether the chain is that of an earlier run. */
  readonly kept: boolean
  /** Records which process uses the state. */
  claim(pid: number): Promise<void>
  /** Call after anvil has exited: its dump becomes the state. */
  close(): Promise<void>
}

const waitForDumpMs = 30_000
const waitForParentMs = 1_000

/**
 * anvil writes its dump to a file next to the state, and only a complete dump replaces the state: a
 * crash in the middle of a dump loses what happened since the last one, not everything.
 * If the parent was killed, anvil may still be writing: the next devnet waits for it.
 */
export async function openStateFile(path: string | undefined): Promise<StateFile> {
  if (path === undefined) return unkept
  const dump = `${path}.next`
  const owner = `${path}.pid`
  await makeFolder(dirname(path))
  await waitForOwner(owner, path)
  await adopt(dump, path)
  const kept = await isComplete(path)
  return {
    kept,
    anvilArgs: ['--load-state', kept ? path : genesisFile, '--dump-state', dump, ...keepArgs],
    claim: async (pid) =>
      await writeFile(owner, JSON.stringify({ anvil: pid, parent: process.pid })),
    async close() {
      await adopt(dump, path)
      await rm(owner, { force: true })
    },
  }
}

// Keeps blocks, transactions and logs, but no states before the last one (85 kB per block).
const keepArgs = ['--state-interval', '30']

const unkept: StateFile = {
  kept: false,
  anvilArgs: ['--load-state', genesisFile],
  claim: async () => undefined,
  close: async () => undefined,
}

async function adopt(dump: string, path: string): Promise<void> {
  if (await isComplete(dump)) await rename(dump, path)
  else await rm(dump, { force: true })
}

async function isComplete(path: string): Promise<boolean> {
  const text = await readFile(path, 'utf8').catch(() => '')
  if (text === '') return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

async function waitForOwner(file: string, path: string): Promise<void> {
  const owner = await readOwner(file)
  const start = performance.now()
  while (await isAnvil(owner.anvil)) {
    const maxWaitMs = isRunning(owner.parent) ? waitForParentMs : waitForDumpMs
    if (performance.now() > start + maxWaitMs) {
      throw new DevnetError('state_in_use', `${path} is in use by process ${owner.parent}`)
    }
    await sleep(25)
  }
}

async function readOwner(file: string): Promise<{ anvil: number; parent: number }> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const [anvil = 0, parent = 0] = (text.match(/\d+/g) ?? []).map(Number)
  return { anvil, parent }
}

/** Whether `pid` is a running anvil; if its name cannot be read, whether it is running at all. */
async function isAnvil(pid: number): Promise<boolean> {
  if (!isRunning(pid)) return false
  if (process.platform !== 'linux') return true
  const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')
  return name.trim() === 'anvil'
}

function isRunning(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  return !isZombie(pid)
}

// A killed process still accepts signals until its parent has reaped it.
function isZombie(pid: number): boolean {
  if (process.platform !== 'linux') return false
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return true
  }
}
