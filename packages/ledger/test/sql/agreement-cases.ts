import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMemoryStore } from '../../src/index.ts'
import { historyOf, randomHistories } from '../channel/random-histories.ts'
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

  test('random histories of channels have the same results as in memory', async () => {
    await fc.assert(
      fc.asyncProperty(randomHistories, async (history) => {
        const ledger = await createLedger()
        try {
          const store = await ledger.open()
          expect(await historyOf(store, history)).toEqual(
            await historyOf(createMemoryStore(), history),
          )
        } finally {
          await ledger.dispose()
        }
      }),
      { numRuns: 6, seed: 20_261_123 },
    )
  }, 120_000)
}
