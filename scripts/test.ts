// Builds, checks types, runs every test, and leaves the counts for `boot.mjs` to print last.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  countTests,
  NO_TESTS,
  type TestCounts,
  type VitestReport,
  withFailedSteps,
} from './test-summary.ts'

function succeeds(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'inherit' }).status === 0
}

function turbo(...args: readonly string[]): boolean {
  return succeeds('turbo', ['run', '--continue', '--output-logs=errors-only', ...args])
}

/** A run that failed although no test did (an unhandled error, a crash) counts as one failure. */
function runVitest(args: readonly string[]): TestCounts {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-vitest-'))
  const report = join(folder, 'report.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const passed = succeeds('vitest', ['run', ...reporters, ...args])
  const counts = readCounts(report)
  rmSync(folder, { recursive: true, force: true })
  return passed || counts.failed > 0 ? counts : withFailedSteps(counts, 1)
}

function readCounts(report: string): TestCounts {
  try {
    return countTests(JSON.parse(readFileSync(report, 'utf8')) as VitestReport)
  } catch {
    return NO_TESTS
  }
}

// Declarations are for those who install a package; here the type check reads the sources.
const steps = [turbo('build', '--', '--no-dts'), turbo('typecheck', '//#typecheck:tests')]
const failedSteps = steps.filter((succeeded) => !succeeded).length
const counts = withFailedSteps(runVitest(process.argv.slice(2)), failedSteps)

const summary = process.env['FAREBOX_TEST_SUMMARY']
if (summary !== undefined) writeFileSync(summary, JSON.stringify(counts))
process.exitCode = counts.failed === 0 ? 0 : 1
