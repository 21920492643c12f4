import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

let shared: string
beforeEach(() => {
  shared = mkdtempSync(join(tmpdir(), 'farebox-'))
})
afterEach(() => {
  rmSync(shared, { recursive: true, force: true })
})

const setup = new URL('../testing/temporary-folder.ts', import.meta.url).href
const run = `
import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
const shared = tmpdir()
const { setup: open } = await import('${setup}')
const close = open()
mkdtempSync(join(tmpdir(), 'left-'))
console.log(readdirSync(tmpdir()).length, tmpdir().startsWith(join(shared, 'farebox-tests-')))
close()`

test('what tests leave behind is removed at the end of their run', () => {
  for (const name of ['farebox-tests-old', 'farebox-tests-new', 'other']) {
    mkdirSync(join(shared, name))
  }
  const twoDaysAgo = Date.now() / 1000 - 2 * 86_400
  for (const name of ['farebox-tests-old', 'other']) {
    utimesSync(join(shared, name), twoDaysAgo, twoDaysAgo)
  }
  const env = { ...process.env, TMPDIR: shared }
  const args = ['--input-type=module', '-e', run]
  expect(execFileSync(process.execPath, args, { env, encoding: 'utf8' })).toBe('1 true\n')
  expect(readdirSync(shared).sort()).toEqual(['farebox-tests-new', 'other'])
})
