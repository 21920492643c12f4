// Builds, then runs the tests and the type check side by side, and leaves the counts for `boot.mjs`
// to print last. `--all` adds the slow proofs; other words choose test files by their path.
import { spawn, spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'
import {
  countTests,
  noTests,
  type TestCounts,
  type VitestReport,
  withFailedSteps,
} from './test-summary.ts'

/** Keeps what Node has compiled: the next run compiles only what has changed. */
const NODE_COMPILE_CACHE =
  process.env['NODE_COMPILE_CACHE'] ?? join(import.meta.dirname, '../node_modules/.cache/compiled')

const usage = `npm test -- [--all] [PATH ...]

Builds, then runs the tests and checks their types. --all adds the slow proofs; a PATH, such as
packages/money, chooses the tests below it. Other options are those of \`vitest run\`.
`

const words = process.argv.slice(2)
if (words.includes('--help') || words.includes('-h')) {
  process.stdout.write(usage)
  process.exit(0)
}
const runsAll = words.includes('--all')
const paths = words.filter((word) => word !== '--all')

const turbo = ['run', '--continue', '--output-logs=errors-only']

/**
 * Declarations are for those who install a package; here the type check reads the sources. The checks that
 * CI runs afterwards need them: then it is built once, not twice.
 */
function build(): boolean {
  const args = [...turbo, 'build', ...(runsAll ? [] : ['--', '--no-dts'])]
  const { status, error } = spawnSync('turbo', args, { stdio: 'inherit' })
  if (error)
    process.stderr.write(`${error.message}: run \`npm test\`, which finds turbo and vitest\n`)
  return status === 0
}

type TypeCheck = { readonly passed: boolean; readonly output: string }

/**
 * The tests and what they import, in one program and one thread, so that the tests keep the cores; what
 * it finds is printed after them. `npm run check` checks each package under its own stricter settings, and
 * finds this task done.
 */
async function checkTypes(): Promise<TypeCheck> {
  const child = spawn('turbo', [...turbo, '//#typecheck:tests'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null))
    child.once('close', resolve)
  })
  const [code, output, errors] = await Promise.all([exited, text(child.stdout), text(child.stderr)])
  return { passed: code === 0, output: `${output}${errors}` }
}

/** A run that failed although no test did (an unhandled error, a crash) counts as one failure. */
async function runVitest(): Promise<TestCounts> {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-vitest-'))
  const report = join(folder, 'report.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const child = spawn('vitest', ['run', ...reporters, ...paths], {
    stdio: 'inherit',
    env: {
      ...process.env,
      NODE_COMPILE_CACHE,
      ...(built && { FAREBOX_TEST_BUILT: '1' }),
      ...(runsAll && { TEST_ALL: '1' }),
    },
  })
  const passed = await new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false))
    child.once('close', (code) => resolve(code === 0))
  })
  const counts = readCounts(report)
  rmSync(folder, { recursive: true, force: true })
  return passed || counts.failed > 0 ? counts : withFailedSteps(counts, 1)
}

function readCounts(report: string): TestCounts {
  try {
    return countTests(JSON.parse(readFileSync(report, 'utf8')) as VitestReport)
  } catch {
    return noTests
  }
}

function printLeftOut(): void {
  const slow = globSync('{packages,apps}/*/test/**/*.slow.test.ts').map((path) => basename(path))
  console.log(
    `Left out: ${slow.join(', ')}, and most seeds and random inputs of the other tests. ` +
      'Run everything with: npm test -- --all',
  )
}

const built = build()
const [tests, types] = await Promise.all([runVitest(), checkTypes()])
process.stdout.write(types.output)
const failedSteps = [built, types.passed].filter((passed) => !passed).length
const counts = withFailedSteps(tests, failedSteps)
if (!runsAll) printLeftOut()

const summary = process.env['FAREBOX_TEST_SUMMARY']
if (summary !== undefined) writeFileSync(summary, JSON.stringify(counts))
process.exitCode = counts.failed === 0 ? 0 : 1
