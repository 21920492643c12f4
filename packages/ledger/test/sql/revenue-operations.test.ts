import Database from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { expect, test } from 'vitest'
import { start, withRefundDue } from '../../src/conformance/fixtures.ts'
import type { Executor } from '../../src/sql/executor.ts'
import { revenueByDay } from '../../src/sql/operations/revenue-operations.ts'
import { compileQueries } from '../../src/sql/queries/queries.ts'
import type { LedgerDatabase } from '../../src/sql/schema/schema.ts'
import { createSqliteExecutor } from '../../src/sql/sqlite/sqlite-executor.ts'
import { dayMs } from '../../src/store/ledger-reports.ts'
import { sqliteTestLedger } from './test-ledgers.ts'

test('a day that another process keeps between two reads counts once', async () => {
  const ledger = await sqliteTestLedger()
  const store = await ledger.open()
  await withRefundDue(store, 1)
  const path = ledger.url.replace('sqlite:', '')
  const database = new Database(path).defaultSafeIntegers(true)
  const done = async () => undefined
  const log = { flush: done, seen: done, close: done }
  const checkpoint = { ready: () => undefined, close: done }
  const openReader = () => new Database(path).defaultSafeIntegers(true)
  const executor = createSqliteExecutor({ database, log, checkpoint, openReader })
  const db = new Kysely<LedgerDatabase>({ dialect: new SqliteDialect({ database }) })
  const day = start - (start % dayMs)
  const period = { from: day, to: day + dayMs, now: day + 2 * dayMs }
  let reads = 0
  const interrupted: Executor = {
    ...executor,
    read: async (operation) => {
      const result = await executor.read(operation)
      reads += 1
      if (reads === 1) await store.revenueByDay(period)
      return result
    },
  }
  try {
    const queries = compileQueries(db, 'sqlite')
    const sums = await revenueByDay(queries, interrupted, period)
    expect(sums).toEqual(await store.revenueByDay(period))
  } finally {
    await executor.close()
    await store.close()
    await ledger.dispose()
  }
})
