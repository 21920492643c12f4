import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'farebox-outcomes-'))
  for (const part of ['packages', 'apps', 'scripts/testing']) {
    mkdirSync(join(folder, part), { recursive: true })
    writeFileSync(join(folder, part, 'one.ts'), '')
  }
  const author = ['-c', 'user.name=test', '-c', 'user.email=test@example.com']
  git('init', '--quiet')
  git('add', '.')
  git(...author, 'commit', '--quiet', '--message=test')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function git(...args: readonly string[]): void {
  execFileSync('git', args, { cwd: folder })
}

/** How many outcomes a run continues with; it adds one. */
function continued(): number {
  const module = new URL('../mutation/recorded-outcomes.ts', import.meta.url).href
  const code = `
import { recordedOutcomes } from '${module}'
const { outcomes, add } = recordedOutcomes({ isContinued: true })
add({})
console.log(outcomes.length)`
  const args = ['--input-type=module', '--eval', code]
  return Number(execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' }))
}

test('outcomes are kept until a source or a test changes, committed or not', () => {
  expect([continued(), continued()]).toEqual([0, 1])
  for (const file of ['packages/one.ts', 'packages/new.test.ts']) {
    writeFileSync(join(folder, file), 'first')
    expect([continued(), continued()]).toEqual([0, 1])
    writeFileSync(join(folder, file), 'second')
    expect([continued(), continued()]).toEqual([0, 1])
  }
})
