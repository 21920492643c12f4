// Changes the sources at one place at a time, and runs the tests that must notice it, which pass
// without a change. Named mutants are listed in scripts/mutation/*-mutants.ts; scripts/mutation/mutated-files.ts
// names the files that are changed at each operator. Exits with 1 when fewer than nine in ten are
// noticed in any package, or when one survives that is not listed in scripts/mutation/survivors.ts.
// Arguments select mutants by their name or file. Results: docs/mutation.md
import { loadavg } from 'node:os'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { type Mutant, packageOf } from './mutation/mutant.ts'
import { listMutants } from './mutation/mutants.ts'
import { recordedOutcomes } from './mutation/recorded-outcomes.ts'
import { saveResults } from './mutation/results-page.ts'
import { type Fault, type Outcome, runMutants, workerCount } from './mutation/run-mutants.ts'
import { reasonOf } from './mutation/survivors.ts'

const minShare = 0.9
const usage = 'npm run mutation -- [--continue] [--save] [settlement ...]\n'
const { values, positionals } = readArguments()

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        continue: { type: 'boolean', default: false },
        save: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}`)
    process.exit(2)
  }
}

function isSelected({ name, file }: Mutant): boolean {
  return (
    positionals.length === 0 ||
    positionals.some((word) => name.includes(word) || file.includes(word))
  )
}

function keyOf({ file, name, tests }: Pick<Mutant, 'file' | 'name' | 'tests'>): string {
  return [file, name, ...tests].join('\n')
}

function print({ mutant, isKilled, by, seconds }: Outcome): void {
  const time = seconds.toFixed(1).padStart(5)
  const why = isKilled ? by : (reasonOf(mutant) ?? by ?? 'a test is missing')
  process.stdout.write(
    `${isKilled ? 'killed  ' : 'SURVIVED'} ${time} s  ${mutant.file}\n    ${mutant.name}\n    ${why}\n`,
  )
}

const load = loadavg()[0] ?? 0
const begun = performance.now()
const selected = listMutants().filter(isSelected)
if (selected.length === 0) {
  process.stderr.write(`No mutant has ${positionals.join(' or ')} in its name or file.\n`)
  process.exit(1)
}
const recorded = recordedOutcomes({ isContinued: values.continue })
const earlier = new Map(recorded.outcomes.map((outcome) => [keyOf(outcome.mutant), outcome]))
const known = selected.flatMap((mutant) => earlier.get(keyOf(mutant)) ?? [])
const outcomes: Outcome[] = [...known]
const faults: Fault[] = []
await runMutants({
  mutants: selected.filter((mutant) => !earlier.has(keyOf(mutant))),
  onOutcome: (outcome) => {
    outcomes.push(outcome)
    recorded.add(outcome)
    print(outcome)
  },
  onFault: (fault) => {
    faults.push(fault)
    process.stdout.write(`FAULT    ${fault.tests.join(' ')}\n    ${fault.failure}\n`)
  },
})
const earlierSeconds = known.reduce((sum, { seconds }) => sum + seconds, 0) / workerCount
const minutes = ((performance.now() - begun) / 1000 + earlierSeconds) / 60

let isEnough = true
process.stdout.write('\n')
for (const { mutant, by, isKilled } of outcomes) {
  if (isKilled || reasonOf(mutant) !== undefined) continue
  isEnough = false
  process.stdout.write(
    `Survived: ${mutant.file}\n    ${mutant.name}\n    ${by ?? 'Add a test, or a reason to survivors.ts.'}\n`,
  )
}
for (const { tests, failure } of faults) {
  isEnough = false
  process.stdout.write(`Fail without a change, not run: ${tests.join(' ')}\n    ${failure}\n`)
}
for (const name of new Set(selected.map(packageOf))) {
  const own = outcomes.filter(({ mutant }) => packageOf(mutant) === name)
  const killed = own.filter(({ isKilled }) => isKilled).length
  const share = own.length === 0 ? 0 : (100 * killed) / own.length
  process.stdout.write(`${name}: ${killed} of ${own.length} killed, ${share.toFixed(1)} %\n`)
  isEnough &&= killed >= minShare * own.length
}
process.stdout.write(
  `${outcomes.length} of ${selected.length} mutants in ${minutes.toFixed(1)} minutes, ${known.length} of them earlier\n`,
)
if (values.save) {
  if (outcomes.length < selected.length || positionals.length > 0) {
    throw new Error('--save needs the results of all mutants')
  }
  saveResults({ outcomes, minutes, load })
}
process.exitCode = isEnough ? 0 : 1
