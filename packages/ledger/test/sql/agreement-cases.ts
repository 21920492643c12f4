import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMemoryStore } from '../../src/index.ts'
import { randomLives, transcriptOf } from '../transition/random-payments.ts'
import type { SqlPlace } from './places.ts'

/** The store in memory is the model: any life goes the same way in both, word for word. */
export function agreementCases(createPlace: () => Promise<SqlPlace>): void {
  test('any life goes as it does in memory', async () => {
    await fc.assert(
      fc.asyncProperty(randomLives, async (steps) => {
        const place = await createPlace()
        try {
          const store = await place.open()
          expect(await transcriptOf(store, steps)).toEqual(
            await transcriptOf(createMemoryStore(), steps),
          )
        } finally {
          await place.dispose()
        }
      }),
      { numRuns: 12, seed: 20_261_121 },
    )
  }, 120_000)
}
