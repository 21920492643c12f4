import Database from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { expect, test } from 'vitest'
import { compileQueries } from '../../src/sql/queries/queries.ts'
import type { Query } from '../../src/sql/queries/query.ts'
import { migrate } from '../../src/sql/schema/migrations.ts'
import type { LedgerDatabase } from '../../src/sql/schema/schema.ts'

/** Partial indexes over open rows only, which stay small. */
const short =
  /USING (?:COVERING )?INDEX (?:payment_unfinished|payment_accruing|payout_due|payout_pending|channel_live|channel_unclaimed|channel_withdrawal|channel_closing|channel_opening)/

/** The values of an insertion. */
const oneRow = /^SCAN CONSTANT ROW$/

function isQuery(one: Query | ReadonlyMap<string, Query>): one is Query {
  return 'text' in one
}

test('no statement scans all payments, all refund transfers or all channels', async () => {
  const database = new Database(':memory:')
  const db = new Kysely<LedgerDatabase>({ dialect: new SqliteDialect({ database }) })
  await migrate(db, 'sqlite')
  const { updatePayment, updateRefund, updateChannel, ...others } = compileQueries(db, 'sqlite')
  const change = [{ version: 1n }, { version: 2n }] as const
  const compiled = Object.values(others).filter((one) => one !== null)
  const fixed = compiled.flatMap((one) => (isQuery(one) ? [one] : [...one.values()]))
  const updates = [updatePayment, updateRefund, updateChannel].map((update) => update(...change))
  const queries = [...updates, ...fixed]
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
