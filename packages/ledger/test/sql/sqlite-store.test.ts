import Database from 'better-sqlite3'
import { Kysely, SqliteDialect, sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { ledgerStoreConformance } from '../../src/conformance.ts'
import { agreementCases } from './agreement-cases.ts'
import { constraintCases } from './constraint-cases.ts'
import { durabilityCases } from './durability-cases.ts'
import { migrationCases } from './migration-cases.ts'
import { migratedSqliteLedgers, sqliteTestLedger } from './test-ledgers.ts'

describe('the store in SQLite', () => {
  const createLedger = migratedSqliteLedgers()
  ledgerStoreConformance({ test, expect }, createLedger)
  agreementCases(createLedger)
  durabilityCases(createLedger)
  constraintCases(async () => {
    const ledger = await sqliteTestLedger()
    const execute = async (sql: string): Promise<void> => {
      const database = new Database(ledger.url.replace('sqlite:', ''))
      try {
        database.pragma('foreign_keys = ON')
        database.exec(sql)
      } finally {
        database.close()
      }
    }
    return { ...ledger, execute }
  })

  migrationCases({
    dialect: 'sqlite',
    createEmpty: sqliteTestLedger,
    connect: (url) => {
      const database = new Database(url.replace('sqlite:', ''))
      database.defaultSafeIntegers(true)
      return new Kysely({ dialect: new SqliteDialect({ database }) })
    },
    rules: async (db) => {
      const { rows } = await sql<{ readonly rule: string }>`
        select sql as rule from sqlite_master where type in ('index', 'trigger')
        and sql is not null`.execute(db)
      return rows.map(({ rule }) => rule)
    },
  })

  test('the file is readable only by its owner, and in WAL mode', async () => {
    const ledger = await sqliteTestLedger()
    try {
      await ledger.open()
      const { statSync } = await import('node:fs')
      const file = ledger.url.replace('sqlite:', '')
      expect(statSync(file).mode & 0o777).toBe(0o600)
      expect(statSync(`${file}-wal`).mode & 0o777).toBe(0o600)
    } finally {
      await ledger.dispose()
    }
  })
})
