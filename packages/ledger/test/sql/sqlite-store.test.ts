import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { ledgerStoreConformance } from '../../src/conformance.ts'
import { agreementCases } from './agreement-cases.ts'
import { constraintCases } from './constraint-cases.ts'
import { durabilityCases } from './durability-cases.ts'
import { sqlitePlace } from './places.ts'

describe('the store in SQLite', () => {
  ledgerStoreConformance({ test, expect }, sqlitePlace)
  agreementCases(sqlitePlace)
  durabilityCases(sqlitePlace)
  constraintCases(async () => {
    const place = await sqlitePlace()
    const execute = async (sql: string): Promise<void> => {
      const database = new Database(place.url.replace('sqlite:', ''))
      try {
        database.pragma('foreign_keys = ON')
        database.exec(sql)
      } finally {
        database.close()
      }
    }
    return { ...place, execute }
  })

  test('the file is for us alone, in WAL mode', async () => {
    const place = await sqlitePlace()
    try {
      await place.open()
      const { statSync } = await import('node:fs')
      const file = place.url.replace('sqlite:', '')
      expect(statSync(file).mode & 0o777).toBe(0o600)
      expect(statSync(`${file}-wal`).mode & 0o777).toBe(0o600)
    } finally {
      await place.dispose()
    }
  })
})
