import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  hasPostgres,
  startPostgres,
  type TestPostgres,
} from '../../../../scripts/testing/postgres.ts'
import { ledgerStoreConformance } from '../../src/conformance.ts'
import { agreementCases } from './agreement-cases.ts'
import { constraintCases } from './constraint-cases.ts'
import { durabilityCases } from './durability-cases.ts'
import { execute, postgresPlaces, type SqlPlace } from './places.ts'

describe.skipIf(!hasPostgres())('the store in PostgreSQL', () => {
  let server: TestPostgres
  let createPlace: () => Promise<SqlPlace>
  beforeAll(async () => {
    server = await startPostgres()
    createPlace = await postgresPlaces(server.url)
  })
  afterAll(() => server.stop())

  ledgerStoreConformance({ test, expect }, () => createPlace())
  agreementCases(() => createPlace())
  durabilityCases(() => createPlace())
  constraintCases(async () => {
    const place = await createPlace()
    return { ...place, execute: (sql: string) => execute(place.url, sql) }
  })
})
