import Database from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { expect, test } from 'vitest'
import { migrate } from '../../src/sql/schema/migrations.ts'
import type { LedgerDatabase } from '../../src/sql/schema/schema.ts'
import { allQueries } from './plan-cases.ts'

/** Partial indexes over open rows only, which stay small. */
const short =
  /USING (?:COVERING )?INDEX (?:payment_unfinished|payment_accruing|refund_transfer_due|refund_transfer_pending|channel_live|channel_unclaimed|channel_withdrawal|channel_closing|channel_opening)/

/** The values of an insertion. */
const oneRow = /^SCAN CONSTANT ROW$/

test('no statement scans all payments, all refund transfers or all channels', async () => {
  const database = new Database(':memory:')
  const db = new Kysely<LedgerDatabase>({ dialect: new SqliteDialect({ database }) })
  await migrate(db, 'sqlite')
  const queries = allQueries(db, 'sqlite')
  const scans = queries.flatMap(({ name, text, parameters }) => {
    const plan = database.prepare<unknown[], { detail: string }>(`explain query plan ${text}`)
    const steps = plan.all(...parameters.map(() => null)).map(({ detail }) => detail)
    return steps
      .filter((step) => step.startsWith('SCAN') && !oneRow.test(step) && !short.test(step))
      .map((step) => `${name}: ${step}`)
  })
  expect(queries.length).toBeGreaterThan(25)
  expect(scans).toEqual([])
  database.close()
})
