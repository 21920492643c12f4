// Changes one line of the sources at a time, as scripts/mutation/mutants.ts lists them, and runs the
// tests that must notice it, which pass without a change. Restores every file. Exits with 1 when fewer than nine in ten are noticed.
// Arguments select mutants by their name or file.
// npm run mutation -- settlement
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { type Mutant, mutants } from './mutation/mutants.ts'

type Outcome = { readonly mutant: Mutant; readonly isKilled: boolean; readonly seconds: number }

const leastShare = 0.9

function isSelected({ name, file }: Mutant): boolean {
  const words = process.argv.slice(2)
  return words.length === 0 || words.some((word) => name.includes(word) || file.includes(word))
}

function run(mutant: Mutant): Outcome {
  const { name, file, search, replace, tests } = mutant
  const source = readFileSync(file, 'utf8')
  if (source.split(search).length !== 2) {
    throw new Error(`${name}: ${file} does not contain its line exactly once`)
  }
  const begun = performance.now()
  try {
    writeFileSync(
      file,
      source.replace(search, () => replace),
    )
    const { status } = spawnSync('vitest', ['run', '--bail=1', ...tests], { stdio: 'ignore' })
    const seconds = (performance.now() - begun) / 1000
    return { mutant, isKilled: status !== 0, seconds }
  } finally {
    writeFileSync(file, source)
  }
}

/** A test that fails anyway would kill any mutant. */
function passUnchanged(tests: ReadonlySet<string>): boolean {
  const { status } = spawnSync('vitest', ['run', ...tests], { stdio: 'inherit' })
  return status === 0
}

function packageOf({ file }: Mutant): string {
  return file.split('/').slice(0, 2).join('/')
}

const selected = mutants.filter(isSelected)
if (!passUnchanged(new Set(selected.flatMap(({ tests }) => tests)))) {
  throw new Error('Tests fail without any change: mend them first')
}
const outcomes = selected.map((mutant) => {
  const outcome = run(mutant)
  const verdict = outcome.isKilled ? 'killed  ' : 'SURVIVED'
  const why = outcome.isKilled ? '' : `: ${mutant.survivesBecause ?? 'a test is missing'}`
  process.stdout.write(
    `${verdict} ${outcome.seconds.toFixed(0).padStart(4)} s  ${mutant.name}${why}\n`,
  )
  return outcome
})
for (const name of new Set(outcomes.map(({ mutant }) => packageOf(mutant)))) {
  const own = outcomes.filter(({ mutant }) => packageOf(mutant) === name)
  const killed = own.filter(({ isKilled }) => isKilled)
  process.stdout.write(`${name}: ${killed.length} of ${own.length} killed\n`)
}
const killed = outcomes.filter(({ isKilled }) => isKilled).length
const seconds = outcomes.reduce((sum, outcome) => sum + outcome.seconds, 0)
process.stdout.write(`${killed} of ${outcomes.length} killed in ${seconds.toFixed(0)} s\n`)
process.exitCode = killed >= leastShare * outcomes.length ? 0 : 1
