import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { generateMutants } from '../mutation/generate-mutants.ts'
import { mutated } from '../mutation/mutant.ts'
import { listMutants } from '../mutation/mutants.ts'
import { locateAll } from '../mutation/named-mutant.ts'
import { outdatedSurvivors, survivors } from '../mutation/survivors.ts'

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

  test('those whose text is no longer in its file are refused together, with the line to look at', () => {
    const file = 'packages/ledger/src/payment/reconcile.ts'
    const lost = {
      name: 'lost',
      file,
      search: 'least(paid, greatest(price, x))',
      replace: '',
      tests: ['x'] as const,
    }
    const locate = () => locateAll([lost, { ...lost, name: 'vague', search: 'cost' }])
    expect(locate).toThrow(
      /- lost\n.*reconcile\.ts:\n.*is not there; line \d+ is\n.*least\(paid, greatest\(/,
    )
    expect(locate).toThrow(/- vague\n.*\n.*"cost" is there \d+ times/)
  })

  test('each known survivor is one of them, and is on the page with its reason', () => {
    expect(outdatedSurvivors(mutants)).toEqual([])
    for (const { reason } of survivors) expect(page).toContain(reason)
    const renamed = mutants.map((mutant) => ({ ...mutant, name: `${mutant.name} // renamed` }))
    expect(outdatedSurvivors(renamed)[0]).toContain('// renamed')
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
