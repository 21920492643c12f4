import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  hasPostgres,
  startPostgres,
  type TestPostgres,
} from '../../../../scripts/testing/postgres.ts'
import { newPayment } from '../../src/conformance/fixtures.ts'
import { ledgerStoreConformance } from '../../src/conformance.ts'
import { createMigrator } from '../../src/sql/schema/migrations.ts'
import type { LedgerDatabase } from '../../src/sql/schema/schema.ts'
import { openLedger } from '../../src/sql.ts'
import { agreementCases } from './agreement-cases.ts'
import { constraintCases } from './constraint-cases.ts'
import { durabilityCases } from './durability-cases.ts'
import { migrationCases } from './migration-cases.ts'
import { planCases } from './plan-cases.ts'
import {
  emptyPostgresLedger,
  execute,
  postgresTestLedgers,
  type SqlTestLedger,
} from './test-ledgers.ts'

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
  planCases(() => createLedger())
  migrationCases({
    dialect: 'postgres',
    createEmpty: () => emptyPostgresLedger(server.url),
    connect: (url) =>
      new Kysely({ dialect: new PostgresDialect({ pool: new Pool({ connectionString: url }) }) }),
    rules: async (db) => {
      const { rows } = await sql<{ readonly rule: string }>`
        select pg_get_triggerdef(oid) as rule from pg_trigger
          where not tgisinternal and tgrelid::regclass::text not like '%.%'
        union all select indexdef from pg_indexes where schemaname = current_schema()
        union all select conrelid::regclass || ' ' || pg_get_constraintdef(oid) from pg_constraint
          where connamespace = current_schema()::regnamespace
          and pg_get_constraintdef(oid) not like '%''treasury''%'
          and pg_get_constraintdef(oid) not like '%''accruing''%'`.execute(db)
      return rows.map(({ rule }) => rule)
    },
  })
  constraintCases(async () => {
    const ledger = await createLedger()
    return { ...ledger, execute: (sql: string) => execute(ledger.url, sql) }
  })

  test.each(['serializable', 'repeatable read'])(
    'where transactions are %s by default, claims at once all end, within the balance of their payer',
    async (isolation) => {
      const ledger = await createLedger()
      const url = new URL(ledger.url)
      const setting = `-c default_transaction_isolation=${isolation.replace(' ', '\\ ')}`
      url.searchParams.set('options', `${url.searchParams.get('options')} ${setting}`)
      const store = await openLedger({ url: url.href })
      const { authorization } = newPayment(0)
      const ofOnePayer = (index: number) => {
        const { nonce } = newPayment(index).authorization
        return newPayment(index, { authorization: { ...authorization, nonce } })
      }
      const claims = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          store.claimWithin(ofOnePayer(index), 3_000n).catch(() => ({ status: 'failed' })),
        ),
      )
      await store.close()
      await ledger.dispose()
      const counted = Map.groupBy(claims, ({ status }) => status)
      expect([counted.get('claimed')?.length, counted.get('beyond_balance')?.length]).toEqual([
        3, 37,
      ])
    },
  )

  test('a migration that another process of an earlier version deadlocks is tried again', async () => {
    const ledger = await emptyPostgresLedger(server.url)
    const pool = new Pool({ connectionString: ledger.url })
    const db = new Kysely<LedgerDatabase>({ dialect: new PostgresDialect({ pool }) })
    await createMigrator(db, 'postgres').migrateTo('2026-11-26-gas-by-transaction')
    await db.destroy()
    // A sequence counts attempts that are rolled back too. 40P01 is a deadlock.
    await execute(
      ledger.url,
      `create sequence attempts;
      create function deadlock() returns trigger language plpgsql as $$ begin
        if nextval('attempts') <= 2 then
          raise exception 'deadlock detected' using errcode = '40P01';
        end if;
        return new;
      end $$;
      create trigger deadlock before insert on ledger_migration for each row
        execute function deadlock()`,
    )
    const store = await ledger.open()
    await expect(store.ping()).resolves.toBeUndefined()
    await ledger.dispose()
  })

  test('a ping waits while another session has locked the payments', async () => {
    const ledger = await createLedger()
    const store = await ledger.open()
    const pool = new Pool({ connectionString: ledger.url, max: 1 })
    await pool.query('begin; lock table payment in share mode')
    const ping = store.ping().then(() => 'answered')
    const waited = await Promise.race([ping, sleep(500, 'waits')])
    await pool.query('rollback')
    expect([waited, await ping]).toEqual(['waits', 'answered'])
    await pool.end()
    await ledger.dispose()
  })

  test('a replica whose clock is ahead does not take over what another works on', async () => {
    const ledger = await createLedger()
    const store = await ledger.open()
    const now = Date.now()
    const hour = 3_600_000
    const lease = { owner: 'a', until: now + hour }
    await store.claim({ ...newPayment(1), lease })
    await store.claim({ ...newPayment(2), lease: { ...lease, until: now - 1 } })
    const ahead = { owner: 'b', now: now + 2 * hour, until: now + 3 * hour, limit: 9 }
    const taken = await store.leaseUnfinished(ahead)
    await ledger.dispose()
    expect(taken.map(({ id }) => id)).toEqual([newPayment(2).id])
  })

  test('a connection that breaks between two queries ends neither the process nor the ledger', async () => {
    const url = new URL((await createLedger()).url)
    url.searchParams.set('application_name', 'broken')
    const store = await openLedger({ url: url.href })
    await store.claim(newPayment(1))
    const rows = store.exportPayments()[Symbol.asyncIterator]()
    await rows.next()
    const held = "select 1 from pg_stat_activity where application_name = 'broken'"
    const broken = held.replace('1', 'pg_terminate_backend(pid)')
    await execute(server.url, broken)
    const gone = `do $$ begin while exists (${held}) loop perform pg_sleep(0.01); end loop; end $$`
    await execute(server.url, gone)
    await expect(rows.next()).rejects.toMatchObject({ code: 'store_unavailable' })
    expect((await store.load(newPayment(1).id))?.status).toBe('settling')
    await store.close()
  })
})
