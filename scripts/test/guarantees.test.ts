import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { trackedFiles } from '../tracked-files.ts'

const page = readFileSync(new URL('../../docs/guarantees.md', import.meta.url), 'utf8')
const testFiles = trackedFiles(['*.test.ts'])

const filters = [...page.matchAll(/`npm test -- (?:--all )?([^`A-Z]+)`/g)].flatMap(
  ([, words = '']) => words.split(' '),
)

test('the page of guarantees has commands', () => {
  expect(filters.length).toBeGreaterThan(15)
})

test.each(filters)('npm test -- %s runs a test', (filter) => {
  expect(testFiles.some((path) => path.includes(filter))).toBe(true)
})
