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
import { execute, postgresTestLedgers, type SqlTestLedger } from './test-ledgers.ts'

describe.skipIf(!hasPostgres())('the store in PostgreSQL', () => {
  let server: TestPostgres
  let createLedger: () => Promise<SqlTestLedger>
  beforeAll(async () => {
    server = await startPostgres()
    createLedger = await postgresTestLedgers(server.url)
  })
  afterAll(() => server.stop())

  ledgerStoreConformance({ test, expect }, () => createLedger())
  agreementCases(() => createLedger())
  durabilityCases(() => createLedger())
  constraintCases(async () => {
    const ledger = await createLedger()
    return { ...ledger, execute: (sql: string) => execute(ledger.url, sql) }
  })
})
