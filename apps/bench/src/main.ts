import { suites } from './all-suites.ts'

const wanted = process.argv.slice(2)
const chosen = suites.filter(({ name }) => wanted.length === 0 || wanted.includes(name))

if (chosen.length === 0) {
  console.error(`Unknown suite. Suites: ${suites.map(({ name }) => name).join(', ')}`)
  process.exitCode = 2
}
for (const suite of chosen) {
  console.log(`\n## ${suite.name}: ${suite.question}\n`)
  await suite.run()
}
