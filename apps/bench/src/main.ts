import { parseArgs } from 'node:util'
import { suites } from './all-suites.ts'
import { saveReport } from './report/save-report.ts'

const usage = `Usage: npm run bench -- [SUITE ...] [--quick] [--save]

Runs all suites, or the named ones:
${suites.map(({ name, question }) => `  ${name.padEnd(24)} ${question}`).join('\n')}

  --quick   fewer rounds: shows that a suite runs, not what it measures
  --save    writes the figures and plots of gateway, first-token, growth and open-streams to docs/benchmarks
  --help    prints this
`

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const unknown = positionals.filter((wanted) => suites.every(({ name }) => name !== wanted))

if (values.help) console.log(usage)
else if (unknown.length > 0) {
  console.error(`There is no suite ${unknown.join(', ')}.\n\n${usage}`)
  process.exitCode = 2
} else {
  const all = positionals.length === 0
  for (const suite of suites.filter(({ name }) => all || positionals.includes(name))) {
    console.log(`\n## ${suite.name}: ${suite.question}\n`)
    const report = await suite.run({ isQuick: values.quick })
    if (values.save && report !== undefined) await saveReport(report)
  }
}
