import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { countTests, withFailedSteps } from '../test-summary.ts'

const report = {
  numPassedTests: 3,
  numFailedTests: 1,
  numPendingTests: 2,
  numTodoTests: 0,
  testResults: [
    { status: 'passed', assertionResults: [{ status: 'passed' }] },
    { status: 'failed', assertionResults: [{ status: 'failed' }, { status: 'passed' }] },
  ],
}

test('counts the tests of the report', () => {
  expect(countTests(report)).toEqual({ passed: 3, failed: 1, skipped: 2 })
})

test('a file that did not load counts as a failure', () => {
  const broken = { status: 'failed', assertionResults: [] }
  const testResults = [...report.testResults, broken, broken]
  expect(countTests({ ...report, testResults })).toEqual({ passed: 3, failed: 3, skipped: 2 })
})

test('each failed step counts as a failure', () => {
  expect(withFailedSteps({ passed: 3, failed: 0, skipped: 2 }, 2)).toEqual({
    passed: 3,
    failed: 2,
    skipped: 2,
  })
})

describe('the last line of boot', () => {
  const boot = join(import.meta.dirname, '..', 'boot.mjs')
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'farebox-boot-'))
  })
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  /** Runs `boot.mjs test` in a project whose test task is this code. */
  function bootWith(code: string): { lastLine: string; status: number | null } {
    writeFileSync(join(folder, 'task.mjs'), code)
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ name: 'probe', private: true, scripts: { 'task:test': 'node task.mjs' } }),
    )
    const { stdout, status } = spawnSync(process.execPath, [boot, 'test'], {
      cwd: folder,
      encoding: 'utf8',
    })
    return { lastLine: stdout.trimEnd().split('\n').at(-1) ?? '', status }
  }

  const leave = (counts: string): string =>
    `import { writeFileSync } from 'node:fs'
     writeFileSync(process.env.FAREBOX_TEST_SUMMARY, '${counts}');`

  test('has the counts that the task wrote', () => {
    const code = leave('{"passed":7,"failed":0,"skipped":1}')
    expect(bootWith(code)).toEqual({ lastLine: '7 passed, 0 failed, 1 skipped', status: 0 })
  })

  test('never has 0 failed after a non-zero exit', () => {
    const code = `${leave('{"passed":7,"failed":0,"skipped":1}')}; process.exit(3)`
    expect(bootWith(code)).toEqual({ lastLine: '7 passed, 1 failed, 1 skipped', status: 3 })
  })

  test('has a failure if the task wrote nothing', () => {
    expect(bootWith('process.exit(1)')).toEqual({
      lastLine: '0 passed, 1 failed, 0 skipped',
      status: 1,
    })
  })
})
