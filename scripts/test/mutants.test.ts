import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { generateMutants } from '../mutation/generate-mutants.ts'
import { mutated } from '../mutation/mutant.ts'
import { listMutants } from '../mutation/mutants.ts'
import { locate } from '../mutation/named-mutant.ts'
import { survivors } from '../mutation/survivors.ts'

const mutants = listMutants()
const page = readFileSync(new URL('../../docs/mutation.md', import.meta.url), 'utf8')

describe('mutants', () => {
  test('each changes its file, and has a name of its own there', () => {
    const names = new Set<string>()
    for (const mutant of mutants) {
      const source = readFileSync(mutant.file, 'utf8')
      expect(mutated(source, mutant)).not.toBe(source)
      names.add(`${mutant.file} ${mutant.name}`)
    }
    expect(names.size).toBe(mutants.length)
  })

  test('one whose text is no longer in its file is refused', () => {
    const file = 'packages/ledger/src/payment/reconcile.ts'
    const lost = { name: 'lost', file, search: 'no such line', replace: '', tests: ['x'] as const }
    expect(() => locate(lost)).toThrow(
      'lost: packages/ledger/src/payment/reconcile.ts must contain',
    )
    expect(() => locate({ ...lost, search: 'cost' })).toThrow('exactly once')
  })

  test('each known survivor is one of them, and is on the page with its reason', () => {
    const known = new Set(mutants.map(({ file, name }) => `${file} ${name}`))
    for (const { file, name, reason } of survivors) {
      expect(known).toContain(`${file} ${name}`)
      expect(page).toContain(reason)
    }
  })

  test('comparisons, sums, conditions and waits are changed', () => {
    const file = 'packages/pricing/src/chat/price-usage.ts'
    const names = generateMutants({ file, tests: ['x'] }).map(({ name }) => name)
    expect(names).toContain('if (⟦a < b → false⟧) return a')
    expect(names).toContain('if (a ⟦< → <=⟧ b) return a')
    expect(names).toContain('plain: total ⟦- → +⟧ written - read,')
    expect(new Set(names).size).toBe(names.length)
  })
})
