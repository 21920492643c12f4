import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import type { Mutant } from './mutant.ts'

export type Outcome = {
  readonly mutant: Mutant
  readonly isKilled: boolean
  readonly seconds: number
}

/** One that loops for ever is noticed. */
const mostMs = 240_000

/**
 * Runs the tests of a mutant until one fails, those named first alone. The source is changed in the
 * memory of the test runner, never on disk.
 */
export async function runMutant(mutant: Mutant): Promise<Outcome> {
  const begun = performance.now()
  const [first, ...others] = mutant.tests
  const isKilled =
    (await fails(mutant, [first])) || (others.length > 0 && (await fails(mutant, others)))
  return { mutant, isKilled, seconds: (performance.now() - begun) / 1000 }
}

async function fails(mutant: Mutant, tests: readonly string[]): Promise<boolean> {
  const args = ['run', '--config', 'scripts/mutation/vitest.config.ts', '--bail=1', ...tests]
  const child = spawn('vitest', args, {
    stdio: 'ignore',
    env: { ...process.env, FAREBOX_MUTANT: JSON.stringify(mutant) },
    detached: true,
  })
  // Its workers too: one that loops for ever outlives the runner.
  const limit = setTimeout(() => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }, mostMs)
  const [status] = await once(child, 'exit')
  clearTimeout(limit)
  return status !== 0
}
