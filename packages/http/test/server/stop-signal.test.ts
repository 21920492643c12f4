import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { announceSkip } from '../../../../scripts/testing/announce-skip.ts'
import { findOnPath } from '../../../../scripts/testing/find-binary.ts'

let folder: string
let child: ChildProcess | undefined
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'farebox-signal-'))
})
afterEach(() => {
  child?.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

const program = fileURLToPath(new URL('signal-program.ts', import.meta.url))

/** Starts the program, sends a signal once it is ready, and gives what it does. */
async function saidAfter(signal: NodeJS.Signals, start: (said: string) => ChildProcess) {
  const said = join(folder, 'said')
  const started = start(said)
  child = started
  started.stdout?.on('data', (bytes: Buffer) => {
    if (bytes.includes('ready')) started.kill(signal)
  })
  const read = (): string => {
    try {
      return readFileSync(said, 'utf8')
    } catch {
      return ''
    }
  }
  await expect.poll(read).not.toBe('')
  return read()
}

const node = [process.execPath, '--conditions=farebox-source', program] as const
const asService = (said: string): ChildProcess => {
  const [file, ...args] = node
  return spawn(file, [...args, said], { stdio: ['ignore', 'pipe', 'inherit'] })
}

test.each([
  ['SIGHUP', 'reloaded'],
  ['SIGTERM', 'stopped'],
  ['SIGINT', 'stopped'],
] as const)('a service is after %s: %s', async (signal, expected) => {
  expect(await saidAfter(signal, asService)).toBe(expected)
})

const script = findOnPath('script')
const hasScript = process.platform === 'linux' && script !== undefined
if (!hasScript) announceSkip('script', 'install util-linux on Linux')

test.skipIf(!hasScript).each([
  ['a program', 'stopped', '', ''],
  ['a program | cat', 'stopped', '', ' | cat'],
  ['nohup a program | cat', 'reloaded', 'nohup ', ' | cat'],
])('at the end of its terminal, %s is %s', async (_, expected, before, reader) => {
  const inTerminal = (said: string): ChildProcess => {
    const line = `${before}${[...node, said].map((word) => `'${word}'`).join(' ')}${reader}`
    return spawn(script ?? '', ['-qfec', line, '/dev/null'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
  }
  // Its terminal ends with it.
  expect(await saidAfter('SIGKILL', inTerminal)).toBe(expected)
})
