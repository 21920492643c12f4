// Runs seeds of the simulation and prints how often each event occurred. Arguments: the first seed, how
// many, and `deep` for reorganizations that undo confirmed blocks, `backup` for restored backups,
// `operator` for an operator who writes off blocked refunds, `clocks` for clocks that are set, `hostile`
// for payers who attack, or `channels` for payers with payment channels; `channels-backup` and
// `channels-clocks` and `channels-hostile` for these with a restored backup, with clocks that are set, or
// with payers who attack.
// node --conditions=farebox-source packages/payments/test/simulation/run-seeds.ts 1 10000
import { simulate } from './simulate.ts'
import { createSummary } from './summary.ts'

const [first = 1, count = 100] = process.argv.slice(2, 4).map(Number)
const options = {
  undoesConfirmed: process.argv[4] === 'deep',
  restoresBackup: process.argv[4] === 'backup',
  hasOperator: process.argv[4] === 'operator',
  setsClocks: process.argv[4]?.endsWith('clocks') === true,
  hasHostilePayers: process.argv[4]?.endsWith('hostile') === true,
  sellsByChannel: process.argv[4]?.startsWith('channels') === true,
  forgetsVouchers: process.argv[4] === 'channels-backup',
}
const summary = createSummary()
const begun = performance.now()
for (let seed = first; seed < first + count; seed += 1) summary.add(await simulate(seed, options))
process.stdout.write(`${summary.text()}\n${Math.round((performance.now() - begun) / 1000)} s\n`)
process.exitCode = summary.failures().length === 0 ? 0 : 1
