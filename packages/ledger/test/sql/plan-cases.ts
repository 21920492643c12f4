import { Kysely, PostgresDialect, sql } from 'kysely'
import { Pool } from 'pg'
import { expect, test } from 'vitest'
import { compileQueries } from '../../src/sql/queries/queries.ts'
import type { Query } from '../../src/sql/queries/query.ts'
import type { LedgerDatabase, SqlDialect } from '../../src/sql/schema/schema.ts'
import type { SqlTestLedger } from './test-ledgers.ts'

/** Every statement of the store; an update is taken with one column. */
export function allQueries(db: Kysely<LedgerDatabase>, dialect: SqlDialect): readonly Query[] {
  const { updatePayment, updateLeasedPayment, updateRefund, updateChannel, ...others } =
    compileQueries(db, dialect)
  const change = [{ version: 1n }, { version: 2n }] as const
  const updates = [updatePayment, updateLeasedPayment, updateRefund, updateChannel].flatMap(
    (update) => update?.(...change) ?? [],
  )
  const compiled = Object.values(others).filter((one) => one !== null)
  const fixed = compiled.flatMap((one) => (isQuery(one) ? [one] : [...one.values()]))
  return [...updates, ...fixed]
}

function isQuery(one: Query | ReadonlyMap<string, Query>): one is Query {
  return 'text' in one
}

/** Tables that grow with each payment. */
const large =
  /Seq Scan on (?:payment|refund_transfer|entry|dispatch|channel_use|channel_movement)\b/

/** With `enable_seqscan` off, PostgreSQL scans a table only if no index serves the statement. */
export function planCases(createLedger: () => Promise<SqlTestLedger>): void {
  test('an index serves each statement about payments, refunds and entries', async () => {
    const ledger = await createLedger()
    await ledger.open()
    const pool = new Pool({ connectionString: ledger.url, max: 1 })
    const db = new Kysely<LedgerDatabase>({ dialect: new PostgresDialect({ pool }) })
    try {
      await sql`set plan_cache_mode = force_generic_plan`.execute(db)
      await sql`set enable_seqscan = off`.execute(db)
      const queries = allQueries(db, 'postgres')
      const scans: string[] = []
      for (const { name, text, parameters } of queries) {
        await sql.raw(`prepare planned as ${text}`).execute(db)
        const values = parameters.map(() => 'null').join(', ')
        const execute = `execute planned${values === '' ? '' : `(${values})`}`
        const { rows } = await sql.raw<object>(`explain ${execute}`).execute(db)
        await sql.raw('deallocate planned').execute(db)
        const steps = rows.map((row) => String(Object.values(row)[0]))
        scans.push(...steps.filter((step) => large.test(step)).map((step) => `${name}: ${step}`))
      }
      expect(queries.length).toBeGreaterThan(25)
      expect(scans).toEqual([])
    } finally {
      await db.destroy()
      await ledger.dispose()
    }
  })
}
