import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DevnetError } from '../devnet-error.ts'
import type { AnvilCommand } from './anvil-command.ts'
import { createJsonRpc } from './json-rpc.ts'
import { watchdogCommand } from './watchdog.ts'

export type AnvilProcess = {
  readonly rpcUrl: string
  readonly pid: number
  /** Resolves when the process has exited, for any reason. */
  readonly ended: Promise<void>
  /** Stops anvil cleanly, so that it writes its state if configured to, and waits for it. */
  stop(): Promise<void>
}

const startTimeoutMs = 15_000
const stopTimeoutMs = 10_000

/** Starts anvil under the watchdog and resolves once it is listening. */
export async function runAnvil({ binary, args: given }: AnvilCommand): Promise<AnvilProcess> {
  // anvil makes a folder for each run, by default in the home directory, and never removes it.
  const cache = await mkdtemp(join(tmpdir(), 'farebox-anvil-')).catch(noFolder)
  const { file, args } = watchdogCommand({ binary, args: [...given, '--cache-path', cache] })
  // In a separate session, Ctrl-C reaches only the parent, which still needs the chain to drain.
  const child = spawn(file, args, { detached: true, stdio: 'pipe' })
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  child.stdin.on('error', () => undefined)
  void exited.then(() => child.stdin.end('ended\n'))
  const ended = exited.then(() => rm(cache, { recursive: true, force: true }))

  const rpcUrl = await listeningUrl(child)
  const stop = () => stopChild(child, ended)
  try {
    // Anvil logs nothing from here on, so a broken pipe cannot stop it.
    await createJsonRpc(rpcUrl)('anvil_setLoggingEnabled', [false])
  } catch (cause) {
    // A child that runs would keep this process from ending.
    await stop()
    const reason = cause instanceof Error ? cause.message : String(cause)
    const fix = 'If NODE_USE_ENV_PROXY is set, set NO_PROXY=127.0.0.1'
    throw new DevnetError('start_failed', `${reason}. ${fix}`, { cause })
  }
  return { rpcUrl, pid: child.pid ?? 0, ended, stop }
}

function noFolder(cause: NodeJS.ErrnoException): never {
  const fix = 'Set TMPDIR to a folder that this user can write'
  throw new DevnetError(
    'start_failed',
    `a temporary folder cannot be made in ${tmpdir()} (${cause.code}). ${fix}`,
    { cause },
  )
}

async function listeningUrl(child: ChildProcessWithoutNullStreams): Promise<string> {
  const output: string[] = []
  return await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => fail('did not listen in time'), startTimeoutMs)
    function fail(reason: string, cause?: unknown): void {
      clearTimeout(timer)
      child.kill('SIGKILL')
      const lastLines = output.join('').trim().split('\n').slice(-5).join('\n')
      reject(new DevnetError('start_failed', `anvil ${reason}: ${lastLines}`, { cause }))
    }
    function read(chunk: Buffer): void {
      output.push(chunk.toString('utf8'))
      const address = /Listening on (\S+:\d+)/.exec(output.join(''))?.[1]
      if (address === undefined) return
      clearTimeout(timer)
      child.stdout.off('data', read)
      child.stdout.resume()
      resolve(`http://${address}`)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', (chunk: Buffer) => output.push(chunk.toString('utf8')))
    child.once('error', (error) => fail('did not start', error))
    child.once('exit', (code) => fail(`exited with ${code}`))
  })
}

async function stopChild(
  child: ChildProcessWithoutNullStreams,
  ended: Promise<void>,
): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
  await ended
  clearTimeout(timer)
  if (!child.stdout.closed) await once(child.stdout, 'close')
}
