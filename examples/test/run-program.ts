import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'vitest'

const root = join(import.meta.dirname, '..', '..')

export type Settings = Readonly<Record<string, string>>

/** The arguments of Node that start an example: on the build as readers do, if `npm test` has just built it. */
export function example(file: string): readonly string[] {
  const sources =
    process.env['FAREBOX_TEST_BUILT'] === undefined ? ['--conditions=farebox-source'] : []
  return [...sources, '--disable-warning=ExperimentalWarning', join('examples', file)]
}

export function start(
  program: readonly string[],
  args: readonly string[],
  settings: Settings = {},
): ChildProcess {
  return spawn(process.execPath, [...program, ...args], {
    cwd: root,
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

/** The first line that matches, and the first group of the match. */
export async function lineOf(child: ChildProcess, pattern: RegExp): Promise<string> {
  if (child.stdout === null) throw new Error('The program has no output')
  for await (const line of createInterface(child.stdout)) {
    const found = pattern.exec(line)?.[1]
    if (found !== undefined) {
      child.stdout.resume()
      return found
    }
  }
  throw new Error(`No line matched ${String(pattern)}`)
}

export async function outputOf(child: ChildProcess): Promise<string> {
  const chunks: Buffer[] = []
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk))
  const [code] = await once(child, 'close')
  expect(code).toBe(0)
  return Buffer.concat(chunks).toString()
}

export async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}
