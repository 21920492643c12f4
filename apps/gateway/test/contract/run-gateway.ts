import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { appProgram } from '../../../../scripts/testing/app-program.ts'

export type Ended = {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export type GatewayProcess = {
  readonly child: ChildProcess
  /** The address, once it listens; fails when the process exits before. */
  readonly url: Promise<string>
  /** What it wrote to standard output so far. */
  readonly output: () => string
  readonly ended: Promise<Ended>
}

type Environment = Readonly<Record<string, string>>

/** What every process gets: not what a setting of the gateway could be. */
const inherited = ['PATH', 'HOME', 'NODE_COMPILE_CACHE'] as const

/**
 * Runs a gateway command in its own process, with only the given environment. `program` is what Node
 * runs, this gateway by default.
 */
export function runGateway(
  words: readonly string[],
  environment: Environment,
  program: readonly string[] = appProgram('gateway'),
): GatewayProcess {
  const child = spawn(process.execPath, [...program, ...words], {
    env: {
      ...Object.fromEntries(inherited.map((name) => [name, process.env[name]])),
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const kill = (): boolean => child.kill('SIGKILL')
  process.once('exit', kill)
  let stdout = ''
  let stderr = ''
  child.stderr.on('data', (bytes: Buffer) => {
    stderr += bytes.toString()
  })
  const url = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (bytes: Buffer) => {
      stdout += bytes.toString()
      const found = /"event":"listening","url":"([^"]+)"/.exec(stdout)?.[1]
      if (found !== undefined) resolve(found)
    })
    child.once('close', () => {
      reject(new Error(`ended before it listened: ${stdout}${stderr}`))
    })
  })
  url.catch(() => undefined)
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code) => {
      process.off('exit', kill)
      resolve({ code, stdout, stderr })
    })
  })
  return { child, url, output: () => stdout, ended }
}

/** A folder that is removed after use. */
export async function withFolder<Result>(
  use: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-'))
  try {
    return await use(folder)
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
