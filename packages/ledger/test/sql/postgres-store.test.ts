import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  hasPostgres,
  startPostgres,
  type TestPostgres,
} from '../../../../scripts/testing/postgres.ts'
import { ledgerStoreConformance } from '../../src/conformance.ts'
import { postgresPlace } from './places.ts'

describe.skipIf(!hasPostgres())('the store in PostgreSQL', () => {
  let server: TestPostgres
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())
  ledgerStoreConformance({ test, expect }, () => postgresPlace(server.url))
})
