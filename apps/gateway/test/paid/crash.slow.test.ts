import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  hasPostgres,
  startPostgres,
  type TestPostgres,
} from '../../../../scripts/testing/postgres.ts'
import { expectClean } from '../chaos/expect-clean.ts'
import { runChaos } from '../chaos/run-chaos.ts'

/** The processes of these tests run the build, as in production; crash.test.ts expects it. */
// Services that overlap with their settlement are in preconfirmed.test.ts and overlap.test.ts.
test.each(['overlap', 'preconfirmed'] as const)(
  'kill -9 with SETTLE_MODE=%s, payers that cancel, and a node that revokes what it showed',
  { timeout: 400_000 },
  async (settleMode) => {
    const load = { replicas: 1, kills: 4, buyers: 6, settleMode, random: Math.random }
    const figures = await runChaos(load)
    expectClean(figures)
    const preconfirmed = figures.events['payment_preconfirmed'] ?? 0
    if (settleMode === 'overlap') expect(preconfirmed).toBe(0)
    else expect(preconfirmed).toBeGreaterThan(0)
  },
)

// One killed replica is in crash.test.ts; one settlement by three replicas in replicas.test.ts; a
// killed writer on PostgreSQL in the ledger's durability cases.
describe.skipIf(!hasPostgres())('with PostgreSQL', () => {
  let postgres: TestPostgres
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.stop())

  test('kill -9 of three replicas on one ledger', { timeout: 180_000 }, async () => {
    const databaseUrl = postgres.url
    expectClean(
      await runChaos({ replicas: 3, kills: 8, buyers: 6, random: Math.random, databaseUrl }),
    )
  })
})
