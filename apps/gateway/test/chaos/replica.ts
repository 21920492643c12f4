import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { listeningUrl } from '../../../../scripts/testing/listening-url.ts'

/** A gateway process that is started again whenever it ends. */
export type Replica = {
  /** Where it listens; waits while it is down. */
  url(): Promise<string>
  kill(): void
  /** Ends it for good by SIGTERM, and gives its exit code. */
  stop(): Promise<number | null>
}

const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

export type ReplicaOptions = {
  /** The settings of each process: a new one is started whenever the last one dies. */
  readonly environment: () => Readonly<Record<string, string>>
  /** Is given each line of its log. */
  readonly onLine: (line: string) => void
}

/** Runs the built gateway under a supervisor. */
export function superviseReplica({ environment, onLine }: ReplicaOptions): Replica {
  let child: ChildProcess
  let url: Promise<string>
  let state: 'running' | 'stopping' = 'running'

  function start(): void {
    child = spawn(process.execPath, [program], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { PATH: process.env['PATH'], ...environment(), PORT: '0' },
    })
    url = listeningUrl(child)
    if (child.stdout) createInterface({ input: child.stdout }).on('line', onLine)
    url.catch(() => undefined)
    child.once('exit', () => {
      if (state === 'running') start()
    })
  }

  start()
  return {
    url: async () => {
      for (;;) {
        const found = await url.catch(() => undefined)
        if (found !== undefined && child.exitCode === null) return found
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
    kill: () => {
      child.kill('SIGKILL')
    },
    stop: async () => {
      state = 'stopping'
      // Until it listens, SIGTERM ends a process without an exit code.
      await url.catch(() => undefined)
      if (child.exitCode === null && child.signalCode === null) {
        const exited = once(child, 'exit')
        child.kill('SIGTERM')
        await exited
      }
      return child.exitCode
    },
  }
}
