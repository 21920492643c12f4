import Database from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { expect, test } from 'vitest'
import { migrate } from '../../src/sql/schema/migrations.ts'
import type { LedgerDatabase } from '../../src/sql/schema/schema.ts'
import { allQueries } from './plan-cases.ts'

/** Partial indexes over open rows only, which stay small. */
const short =
  /USING (?:COVERING )?INDEX (?:payment_unfinished|payment_accruing|refund_transfer_due|refund_transfer_pending|channel_live|channel_unclaimed|channel_withdrawal|channel_closing|channel_opening)/

/** The values of an insertion, and a table with one row a day. */
const few = /^SCAN (?:CONSTANT ROW|summed_day)$/

async function migrated() {
  const database = new Database(':memory:').unsafeMode()
  const db = new Kysely<LedgerDatabase>({ dialect: new SqliteDialect({ database }) })
  await migrate(db, 'sqlite')
  return { database, db }
}

test('no statement scans all payments, all refund transfers or all channels', async () => {
  const { database, db } = await migrated()
  const queries = allQueries(db, 'sqlite')
  const scans = queries.flatMap(({ name, text, parameters }) => {
    const plan = database.prepare<unknown[], { detail: string }>(`explain query plan ${text}`)
    const steps = plan.all(...parameters.map(() => null)).map(({ detail }) => detail)
    return steps
      .filter((step) => step.startsWith('SCAN') && !few.test(step) && !short.test(step))
      .map((step) => `${name}: ${step}`)
  })
  expect(queries.length).toBeGreaterThan(25)
  expect(scans).toEqual([])
  database.close()
})

test('no row is checked by means of a temporary table', async () => {
  const { database } = await migrated()
  const columns = database
    .prepare<[], { table: string; names: string; nulls: string; changes: string }>(
      `select t.name as "table", group_concat(c.name) as names, group_concat('null') as nulls,
        group_concat(c.name || ' = null') as changes
      from sqlite_master t, pragma_table_info(t.name) c
      where t.type = 'table' and c.name <> 'seq' group by t.name`,
    )
    .all()
  const checked = columns.flatMap(({ table, names, nulls, changes }) => [
    `insert into ${table} (${names}) values (${nulls})`,
    `update ${table} set ${changes} where rowid = 1`,
  ])
  const steps = (statement: string) =>
    database.prepare<[], { opcode: string }>(`explain ${statement}`).all()
  expect(checked.length).toBeGreaterThan(30)
  expect(
    checked.filter((statement) =>
      steps(statement).some(({ opcode }) => opcode === 'OpenEphemeral'),
    ),
  ).toEqual([])
  database.close()
})
