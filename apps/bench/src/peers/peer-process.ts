import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { listeningUrl } from '../../../../scripts/testing/listening-url.ts'
import type { Usage } from './usage-reporter.ts'

const root = join(import.meta.dirname, '..', '..', '..', '..')
const reporter = join(import.meta.dirname, 'usage-reporter.ts')

/** A server in its own process. */
export type PeerProcess = {
  readonly url: string
  readonly usage: () => Promise<Usage>
  /** From now on `usage` has the longest turn of the event loop. */
  readonly watchTurns: () => void
  readonly stop: () => Promise<void>
}

type PeerProgram = {
  /** A TypeScript or JavaScript file, relative to the repository. */
  readonly file: string
  readonly args?: readonly string[]
  readonly settings?: Readonly<Record<string, string>>
  /** For a program that does not log where it listens. */
  readonly url?: string
  /** Options of Node itself. */
  readonly options?: readonly string[]
}

/** Starts a Node program that logs `{"event":"listening","url":…}`, or listens on a known URL. */
export async function startPeer(program: PeerProgram): Promise<PeerProcess> {
  const { file, args = [], settings = {}, options = [] } = program
  const loaded = ['--conditions=farebox-source', '--import', reporter]
  const child = spawn(process.execPath, [...options, ...loaded, file, ...args], {
    cwd: root,
    env: { ...process.env, ...settings },
    stdio: ['ignore', program.url === undefined ? 'pipe' : 'ignore', 'pipe', 'ipc'],
  })
  const url = await ready(child, program)
  return {
    url,
    usage: () => usageOf(child),
    watchTurns: () => void child.send('watch turns'),
    stop: () => stopChild(child),
  }
}

/** The URL of a server that listens; an error carries what the program wrote to standard error. */
async function ready(child: ChildProcess, { file, url }: PeerProgram): Promise<string> {
  let written = ''
  child.stderr?.on('data', (part: Buffer) => {
    written = (written + part.toString()).slice(-4_000)
  })
  try {
    if (url === undefined) return await listeningUrl(child)
    await answering(url)
    return url
  } catch (cause) {
    throw new Error(`${file} did not start: ${written}`, { cause })
  }
}

async function usageOf(child: ChildProcess): Promise<Usage> {
  return await new Promise((resolve) => {
    child.once('message', (usage: Usage) => {
      resolve(usage)
    })
    child.send('usage')
  })
}

/** Ends a process and waits for its exit. */
export async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

/** Resolves when a server responds with any status; rejects after ten seconds. */
export async function answering(url: string): Promise<void> {
  const until = performance.now() + 10_000
  for (;;) {
    const answer = await fetch(url).catch(() => undefined)
    if (answer !== undefined) return
    if (performance.now() > until) throw new Error(`Nothing answers at ${url}`)
    await pause(50)
  }
}
