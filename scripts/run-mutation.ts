// Changes the sources at one place at a time, and runs the tests that must notice it, which pass
// without a change. Named mutants are listed in scripts/mutation/*-mutants.ts; scripts/mutation/mutated-files.ts
// names the files that are changed at each operator. Exits with 1 when fewer than nine in ten are
// noticed in any package, or when one survives that is not listed in scripts/mutation/survivors.ts.
// Arguments select mutants by their name or file. Results: docs/mutation.md
// npm run mutation -- settlement
import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import process from 'node:process'
import { type Mutant, packageOf } from './mutation/mutant.ts'
import { listMutants } from './mutation/mutants.ts'
import { type Outcome, runMutant } from './mutation/run-mutant.ts'
import { reasonOf } from './mutation/survivors.ts'

const leastShare = 0.9

function isSelected({ name, file }: Mutant): boolean {
  const words = process.argv.slice(2)
  return words.length === 0 || words.some((word) => name.includes(word) || file.includes(word))
}

/** A test that fails anyway would kill any mutant. */
function passUnchanged(tests: ReadonlySet<string>): boolean {
  const { status } = spawnSync('vitest', ['run', ...tests], { stdio: 'inherit' })
  return status === 0
}

async function runAll(mutants: readonly Mutant[]): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  const waiting = [...mutants]
  const runNext = async (): Promise<void> => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const outcome = await runMutant(mutant)
      outcomes.push(outcome)
      process.stdout.write(lineOf(outcome))
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, runNext))
  return outcomes
}

function lineOf({ mutant, isKilled, seconds }: Outcome): string {
  const verdict = isKilled ? 'killed  ' : 'SURVIVED'
  const why = isKilled ? '' : `\n    ${reasonOf(mutant) ?? 'a test is missing'}`
  const time = seconds.toFixed(0).padStart(4)
  return `${verdict} ${time} s  ${mutant.file}\n    ${mutant.name}${why}\n`
}

const selected = listMutants().filter(isSelected)
if (!passUnchanged(new Set(selected.flatMap(({ tests }) => tests)))) {
  throw new Error('Tests fail without any change: fix them first')
}
const begun = performance.now()
const outcomes = await runAll(selected)
let isEnough = outcomes.every(({ mutant, isKilled }) => isKilled || reasonOf(mutant) !== undefined)
for (const name of new Set(selected.map(packageOf))) {
  const own = outcomes.filter(({ mutant }) => packageOf(mutant) === name)
  const killed = own.filter(({ isKilled }) => isKilled).length
  const share = (100 * killed) / own.length
  process.stdout.write(`${name}: ${killed} of ${own.length} killed, ${share.toFixed(1)} %\n`)
  isEnough &&= killed >= leastShare * own.length
}
const minutes = (performance.now() - begun) / 60_000
process.stdout.write(`${outcomes.length} mutants in ${minutes.toFixed(1)} minutes\n`)
process.exitCode = isEnough ? 0 : 1
