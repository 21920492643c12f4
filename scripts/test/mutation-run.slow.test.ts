import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Fault, type Outcome, runMutants } from '../mutation/run-mutants.ts'

// mutants.test.ts shows without vitest that mutants are found and change their files.

const file = 'packages/money/src/arithmetic.ts'
const source = readFileSync(file, 'utf8')

test('a mutant is noticed, survives, loops, is imported by no test, or its tests fail anyway', async () => {
  const start = source.indexOf('return')
  const change = { file, start, end: start, tests: ['packages/money/test/money'] as const }
  const outcomes = new Map<string, Outcome>()
  const faults: Fault[] = []
  await runMutants({
    mutants: [
      { ...change, name: 'noticed', replace: 'throw new Error();' },
      { ...change, name: 'survives', replace: ' ' },
      { ...change, name: 'loops', replace: 'for (;;);' },
      { ...change, name: 'not imported', replace: ' ', tests: ['scripts/test/test-summary'] },
      { ...change, name: 'fails anyway', replace: ' ', tests: ['no/such/test'] },
    ],
    patienceMs: 5_000,
    onOutcome: (outcome) => outcomes.set(outcome.mutant.name, outcome),
    onFault: (fault) => faults.push(fault),
  })
  expect(outcomes.get('noticed')).toMatchObject({ isKilled: true })
  expect(outcomes.get('survives')).toMatchObject({ isKilled: false, by: null })
  expect(outcomes.get('loops')).toMatchObject({ isKilled: true, by: 'the tests did not end' })
  expect(outcomes.get('not imported')).toMatchObject({
    isKilled: false,
    by: 'no test imports the file',
  })
  expect(faults).toEqual([{ tests: ['no/such/test'], failure: 'no such test file' }])
  expect(outcomes.size).toBe(4)
})
