import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMemoryStore } from '../../src/index.ts'
import { lifeOf, randomLives } from '../channel/random-lives.ts'
import { randomSteps, transcriptOf } from '../transition/random-steps.ts'
import type { SqlTestLedger } from './test-ledgers.ts'

/** The store in memory is the model: random steps have identical results in both stores. */
export function agreementCases(createLedger: () => Promise<SqlTestLedger>): void {
  test('random steps have the same results as in memory', async () => {
    await fc.assert(
      fc.asyncProperty(randomSteps, async (steps) => {
        const ledger = await createLedger()
        try {
          const store = await ledger.open()
          expect(await transcriptOf(store, steps)).toEqual(
            await transcriptOf(createMemoryStore(), steps),
          )
        } finally {
          await ledger.dispose()
        }
      }),
      { numRuns: 12, seed: 20_261_121 },
    )
  }, 120_000)

  test('random lives of channels have the same results as in memory', async () => {
    await fc.assert(
      fc.asyncProperty(randomLives, async (life) => {
        const ledger = await createLedger()
        try {
          const store = await ledger.open()
          expect(await lifeOf(store, life)).toEqual(await lifeOf(createMemoryStore(), life))
        } finally {
          await ledger.dispose()
        }
      }),
      { numRuns: 6, seed: 20_261_123 },
    )
  }, 120_000)
}
