import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listeningUrl } from '../../../../scripts/testing/listening-url.ts'

const root = join(import.meta.dirname, '..', '..', '..', '..')

/** A server in a separate process whose CPU time can be read. */
export type ServerProcess = {
  readonly url: string
  /** Microseconds of CPU, user and system, since its start. Reads `/proc`: Linux only. */
  readonly cpu: () => number
  readonly stop: () => Promise<void>
}

export type ServerProgram = {
  readonly file: string
  readonly args?: readonly string[]
  readonly settings?: Readonly<Record<string, string>>
}

/** Starts a program that logs `{"event":"listening","url":…}`. */
export async function startServer({
  file,
  args = [],
  settings = {},
}: ServerProgram): Promise<ServerProcess> {
  const child = spawn(process.execPath, ['--conditions=farebox-source', file, ...args], {
    cwd: root,
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const url = await listeningUrl(child)
  return {
    url,
    cpu: () => cpuOf(child.pid ?? 0),
    stop: async () => {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** The 14th and 15th field of `/proc/PID/stat`, in ticks of a hundredth of a second. */
function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}
