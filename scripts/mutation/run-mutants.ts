import { availableParallelism } from 'node:os'
import process from 'node:process'
import type { Mutant } from './mutant.ts'
import { startWorker, type TestResult, type TestWorker } from './start-worker.ts'

export type Outcome = {
  readonly mutant: Pick<Mutant, 'file' | 'name' | 'tests'>
  readonly isKilled: boolean
  /** The test that noticed it; `no test imports the file` when it could not be noticed. */
  readonly by: string | null
  readonly seconds: number
}

/** Why the mutants of some tests were not run. */
export type Fault = { readonly tests: readonly string[]; readonly failure: string }

type Run = {
  readonly mutants: readonly Mutant[]
  /** A run that takes this much longer than four times the unchanged one loops forever. 60 s by default. */
  readonly patienceMs?: number
  readonly onOutcome: (outcome: Outcome) => void
  readonly onFault: (fault: Fault) => void
}

/** Tests wait for blocks and deadlines; meanwhile others have the core. */
export const workerCount = availableParallelism() + 1
const maxUnchangedMs = 600_000

/**
 * Runs the tests of each mutant, as many at a time as there are cores and one more. Tests that fail
 * without a change would kill any mutant: they are a fault, and their mutants are not run.
 */
export async function runMutants(run: Run): Promise<void> {
  const { mutants, patienceMs = 60_000, onOutcome, onFault } = run
  const files = [...new Set(mutants.map(({ file }) => file))]
  const workers = Array.from({ length: workerCount }, () => startWorker(files))
  const stop = (): void => {
    for (const worker of workers) worker.stop()
  }
  process.once('exit', stop)
  const unchanged = new Map<string, Promise<TestResult>>()
  const waiting = [...mutants]
  const runNext = async (worker: TestWorker): Promise<void> => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const { tests } = mutant
      const key = tests.join(' ')
      const isFirst = !unchanged.has(key)
      const before = unchanged.get(key) ?? worker.run({ mutant: null, tests }, maxUnchangedMs)
      unchanged.set(key, before)
      const { failure, ms } = await before
      if (failure === null) {
        onOutcome(await runMutant(worker, { mutant, limitMs: patienceMs + 4 * ms }))
      } else if (isFirst) onFault({ tests, failure })
    }
  }
  try {
    await Promise.all(workers.map(runNext))
  } finally {
    stop()
    process.off('exit', stop)
  }
}

async function runMutant(
  worker: TestWorker,
  { mutant, limitMs }: { readonly mutant: Mutant; readonly limitMs: number },
): Promise<Outcome> {
  const { file, name, tests } = mutant
  const result = await worker.run({ mutant, tests }, limitMs)
  return {
    mutant: { file, name, tests },
    isKilled: result.failure !== null && result.isLoaded,
    by: result.isLoaded ? result.failure : 'no test imports the file',
    seconds: Math.round(result.ms / 100) / 10,
  }
}
