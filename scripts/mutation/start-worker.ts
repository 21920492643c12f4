import { type ChildProcess, fork } from 'node:child_process'
import { resolve } from 'node:path'
import process from 'node:process'
import type { Mutant } from './mutant.ts'

/** Tests to run, on the sources as they are or with one change. */
export type TestRequest = { readonly mutant: Mutant | null; readonly tests: readonly string[] }

export type TestResult = {
  /** The test that failed, and its message; null when all passed. */
  readonly failure: string | null
  /** Whether the tests import the changed file. */
  readonly isLoaded: boolean
  readonly ms: number
}

export type TestWorker = {
  /** Stops at the first test that fails. A run that takes longer than `limitMs` is a failure. */
  readonly run: (request: TestRequest, limitMs: number) => Promise<TestResult>
  readonly stop: () => void
}

const program = resolve(import.meta.dirname, 'test-worker.ts')

/** Starts a process that runs tests, in its own process group. `files` are those that will be changed. */
export function startWorker(files: readonly string[]): TestWorker {
  let child: ChildProcess | undefined
  const start = (): ChildProcess =>
    fork(program, files, {
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: process.execArgv,
    })
  // The processes of the tests too: one that loops forever does not end with the runner.
  const stop = (): void => {
    if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      process.kill(-child.pid, 'SIGKILL')
    }
    child = undefined
  }
  return {
    stop,
    run: async (request, limitMs) => {
      child ??= start()
      const runner = child
      const begun = performance.now()
      const answer = new Promise<TestResult | null>((resolveAnswer, reject) => {
        runner.once('message', (result) => resolveAnswer(result as TestResult))
        runner.once('exit', (code, signal) => {
          if (signal === 'SIGKILL') resolveAnswer(null)
          else reject(new Error(`The test runner ended with ${code ?? signal}`))
        })
      })
      const limit = setTimeout(stop, limitMs)
      runner.send(request)
      try {
        const result = await answer
        const ms = performance.now() - begun
        return result ?? { failure: 'the tests did not end', isLoaded: true, ms }
      } finally {
        clearTimeout(limit)
        runner.removeAllListeners('message').removeAllListeners('exit')
      }
    },
  }
}
