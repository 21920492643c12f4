import { afterAll, beforeAll, describe, test } from 'vitest'
import {
  hasPostgres,
  startPostgres,
  type TestPostgres,
} from '../../../../scripts/testing/postgres.ts'
import { expectClean } from '../chaos/expect-clean.ts'
import { runChaos } from '../chaos/run-chaos.ts'

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
