import Database from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { expect, test } from 'vitest'
import { compileQueries } from '../../src/sql/queries/queries.ts'
import type { Query } from '../../src/sql/queries/query.ts'
import { boundPayers } from '../../src/sql/schema/bound-payers.ts'
import { createTables } from '../../src/sql/schema/create-tables.ts'
import { createTriggers } from '../../src/sql/schema/create-triggers.ts'
import { operatorReports } from '../../src/sql/schema/operator-reports.ts'
import type { LedgerDatabase } from '../../src/sql/schema/schema.ts'

/** Partial indexes over open rows only, which stay small. */
const short =
  /USING (?:COVERING )?INDEX (?:payment_unfinished|payment_accruing|payout_due|payout_pending)/

/** The values of an insertion. */
const oneRow = /^SCAN CONSTANT ROW$/

function isQuery(one: Query | ReadonlyMap<string, Query>): one is Query {
  return 'text' in one
}

test('no statement scans all payments or all refund transfers', () => {
  const database = new Database(':memory:')
  const create = [createTables, createTriggers, boundPayers, operatorReports]
  const schema = create.flatMap((statements) => statements('sqlite'))
  for (const statement of schema) database.exec(statement)
  const db = new Kysely<LedgerDatabase>({ dialect: new SqliteDialect({ database }) })
  const { updatePayment, updateRefund, ...others } = compileQueries(db, 'sqlite')
  const change = [{ version: 1n }, { version: 2n }] as const
  const compiled = Object.values(others)
  const fixed = compiled.flatMap((one) => (isQuery(one) ? [one] : [...one.values()]))
  const queries = [updatePayment(...change), updateRefund(...change), ...fixed]
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
