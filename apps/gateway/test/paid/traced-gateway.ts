import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { listeningUrl } from '../../../../scripts/testing/listening-url.ts'

/** A system call of the gateway: the time when it began, or when it returned for a flush. */
export type SystemCall = { readonly name: string; readonly text: string }

export type TracedGateway = {
  readonly url: string
  /** Stops the gateway with SIGTERM and returns its calls in order. */
  stop(): Promise<readonly SystemCall[]>
}

const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const flushes = ['fsync', 'fdatasync']
const writes = ['pwrite64', 'write', 'writev', 'sendto', 'sendmsg']

/** Runs the built gateway under strace, which shows what it writes to disk and to sockets. */
export async function startTracedGateway(
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<TracedGateway> {
  const trace = join(folder, 'trace')
  const options = [
    // The filter in the kernel keeps all other calls at full speed.
    ...['-f', '--seccomp-bpf'],
    // Files by name and sockets by both of their ports; a page of the ledger in full.
    ...['-yy', '-s', '8192'],
    ...['-e', `trace=${[...flushes, ...writes].join(',')}`, '-o', trace],
  ]
  const child = spawn('strace', [...options, process.execPath, program], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'], DATA_DIR: folder, PORT: '0', ...environment },
  })
  const url = await listeningUrl(child)
  // The first line comes from the gateway's main thread. Stopping strace does not stop the gateway.
  const gateway = Number.parseInt(await readFile(trace, 'utf8'), 10)
  const kill = (): void => {
    process.kill(gateway, 'SIGKILL')
  }
  process.once('exit', kill)
  return {
    url,
    stop: async () => {
      const exited = once(child, 'exit')
      process.kill(gateway, 'SIGTERM')
      await exited
      process.off('exit', kill)
      return parseTrace(await readFile(trace, 'utf8'))
    },
  }
}

/** A call that another thread interrupts is printed in two lines, `unfinished` and `resumed`. */
export function parseTrace(trace: string): readonly SystemCall[] {
  const calls: SystemCall[] = []
  const unfinished = new Map<string, SystemCall>()
  for (const line of trace.split('\n')) {
    const [, thread = '', text = ''] = /^(\d+) +(.*)$/.exec(line) ?? []
    const begun = /^(\w+)\(/.exec(text)?.[1]
    const resumed = /^<\.\.\. (\w+) resumed>.*= (-?\d+)/.exec(text)
    if (begun !== undefined && flushes.includes(begun)) {
      const call = { name: begun, text }
      if (text.endsWith('<unfinished ...>')) unfinished.set(thread, call)
      else if (text.endsWith('= 0')) calls.push(call)
    } else if (begun !== undefined) {
      calls.push({ name: begun, text })
    } else if (resumed !== null) {
      const call = unfinished.get(thread)
      unfinished.delete(thread)
      if (call !== undefined && resumed[2] === '0') calls.push(call)
    }
  }
  return calls
}
