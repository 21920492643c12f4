import { parseArgs } from 'node:util'
import { suites } from './all-suites.ts'
import { saveReport } from './report/save-report.ts'

const usage = `Usage: npm run bench -- [SUITE ...] [OPTION ...]

Runs the suites without a star, or the named ones:
${suites.map(({ name, question, byName }) => `  ${(byName ? `${name} *` : name).padEnd(24)} ${question}`).join('\n')}

  --quick   fewer rounds: shows that a suite runs, not what it measures
  --save    writes the figures and plots of a suite that reports them to docs/benchmarks
  --minutes N    how long soak runs; 60 by default
  --payments N   how many payments large-ledger has; 10,000,000 by default, which take 22 GB in SQLite
  --ledger URL   a ledger for growth or large-ledger that is filled already; may be repeated
  --help    prints this
`

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '60' },
    payments: { type: 'string', default: '10000000' },
    ledger: { type: 'string', multiple: true, default: [] },
    help: { type: 'boolean', default: false },
  },
})
const unknown = positionals.filter((wanted) => suites.every(({ name }) => name !== wanted))

const [minutes, payments] = [Number(values.minutes), Number(values.payments)]

if (values.help) console.log(usage)
else if (!(minutes > 0 && payments > 0)) {
  console.error('--minutes and --payments must be numbers above zero')
  process.exitCode = 2
} else if (unknown.length > 0) {
  console.error(`There is no suite ${unknown.join(', ')}.\n\n${usage}`)
  process.exitCode = 2
} else {
  const wanted = suites.filter(({ name, byName }) =>
    positionals.length === 0 ? byName !== true : positionals.includes(name),
  )
  for (const suite of wanted) {
    console.log(`\n## ${suite.name}: ${suite.question}\n`)
    const report = await suite.run({
      isQuick: values.quick,
      minutes,
      payments,
      ledgers: values.ledger,
    })
    if (values.save && report !== undefined) await saveReport(report)
  }
}
