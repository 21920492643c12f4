import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  hasPostgres,
  startPostgres,
  type TestPostgres,
} from '../../../../scripts/testing/postgres.ts'
import { type ChaosFigures, runChaos } from '../chaos/run-chaos.ts'

/** The processes run the build, as in production. */
const built = existsSync(fileURLToPath(new URL('../../dist/main.js', import.meta.url)))

function expectClean(figures: ChaosFigures): void {
  expect(figures.purchases).toBeGreaterThan(0)
  expect(figures).toMatchObject({ unfinished: [], doubled: [], lost: 0n, unexplained: [] })
  expect(new Set(figures.exitCodes)).toEqual(new Set([0]))
}

test('the gateway is built', () => {
  expect(built).toBe(true)
})

test('kill -9 at any moment over SQLite: paid = cost + refund, and nothing is served twice', {
  timeout: 120_000,
}, async () => {
  expectClean(await runChaos({ replicas: 1, kills: 6, buyers: 6, random: Math.random }))
})

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
