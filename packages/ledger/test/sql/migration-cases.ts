import { type Kysely, sql } from 'kysely'
import { expect, test } from 'vitest'
import { channelErrors, held, opened } from '../../src/conformance/channels/channel-fixtures.ts'
import {
  applyEvents,
  applyRefundEvents,
  bookErrors,
  claimed,
  completed,
  exported,
  listed,
  paymentOf,
  refundNonce,
  refundTransferOf,
  settled,
  start,
} from '../../src/conformance/fixtures.ts'
import type { LedgerStore } from '../../src/index.ts'
import { createMigrator, latestMigration } from '../../src/sql/schema/migrations.ts'
import type { LedgerDatabase, SqlDialect } from '../../src/sql/schema/schema.ts'
import { openLedger } from '../../src/sql.ts'
import { fillLedger, isRefusal, refusedBefore } from './constraint-cases.ts'
import type { SqlTestLedger } from './test-ledgers.ts'

export type MigrationTest = {
  readonly dialect: SqlDialect
  /** In a database without any tables. */
  readonly createEmpty: () => Promise<SqlTestLedger>
  /** Without foreign keys in SQLite, as the ledger migrates. */
  readonly connect: (url: string) => Kysely<LedgerDatabase>
  /** The names of the triggers, indexes and constraints of the tables. */
  readonly rules: (db: Kysely<LedgerDatabase>) => Promise<readonly string[]>
}

const lastBefore = '2026-11-22-operator-reports'

/** In an order in which each refers only to those before it. */
const tables = [
  'refund_transfer',
  'payment',
  'entry',
  'dispatch',
  'answer',
  'payer_fault',
  'daily_revenue',
  'summed_day',
] as const

/** What these tables were called before. */
const oldNames: Readonly<Record<string, string>> = { refund_transfer: 'payout' }

/** A ledger of the version before channels keeps everything that it had. */
export function migrationCases(options: MigrationTest): void {
  const { dialect, createEmpty, connect, rules } = options
  movementSumCases(options)
  newerSchemaCases(options)
  olderSchemaCases(options)
  test('a ledger from before channels keeps its rows and its rules, and sells by channel', async () => {
    const source = await createEmpty()
    const filled = await source.open()
    await fillEverything(filled)
    const ledger = await createEmpty()
    const [from, db] = [connect(source.url), connect(ledger.url)]
    try {
      expect((await createMigrator(db, dialect).migrateTo(lastBefore)).error).toBe(undefined)
      await copyRows(from, db)
      const before = { rules: await rules(db), rows: await countRows(db, oldNames) }
      expect(Object.values(before.rows).filter((rows) => rows === 0)).toEqual([])
      expect(before.rules.length).toBeGreaterThan(20)

      const store = await ledger.open()
      expect(await countRows(db)).toEqual(before.rows)
      const known = new Set((await rules(db)).map(ruleName))
      expect(before.rules.filter((rule) => !known.has(ruleName(rule)))).toEqual([])
      expect(await exported(store)).toEqual(await exported(filled))
      expect(await listed(store.exportRefunds())).toEqual(await listed(filled.exportRefunds()))
      expect(await store.owed()).toEqual(await filled.owed())
      const kept = await store.revenueByDay(summedDay)
      expect(kept).not.toEqual([])
      expect(kept.map(({ unknownCosts }) => unknownCosts)).toEqual(
        kept.map(({ payments }) => payments),
      )
      await expectRefusals(db)
      await goOn(store)
      expect([...(await bookErrors(store)), ...(await channelErrors(store))]).toEqual([])
    } finally {
      await Promise.all([from.destroy(), db.destroy()])
      await source.dispose()
      await ledger.dispose()
    }
  })
}

const dayMs = 86_400_000
const firstDay = start - (start % dayMs)
const summedDay = { from: firstDay, to: firstDay + dayMs, now: firstDay + 9 * dayMs }

/** An index may be built again, with other columns, and a trigger with another message. */
function ruleName(rule: string): string {
  const renamed = rule.replaceAll(/\bpayout/g, 'refund_transfer').replaceAll('"', '')
  return /^create (?:unique )?(?:index|trigger) (\S+)/i.exec(renamed)?.[1] ?? renamed
}

/** Movements that were recorded before their sums were kept count in them. */
function movementSumCases({ dialect, createEmpty, connect }: MigrationTest): void {
  test('what was claimed and paid out before is part of the sums', async () => {
    const ledger = await createEmpty()
    const db = connect(ledger.url)
    const migrator = createMigrator(db, dialect)
    try {
      expect((await migrator.migrateTo('2026-11-23-channels')).error).toBe(undefined)
      for (const { lost, log } of [
        { lost: 0, log: 1 },
        { lost: 1, log: 2 },
      ]) {
        await sql`insert into channel_movement (kind, chain_id, amount, proof_transaction,
            proof_block, proof_block_hash, proof_log_index, lost, at)
          values ('settle', 1, 300, '0xa1', 1, '0xb1', ${sql.lit(log)}, ${sql.lit(lost)}, 1)`.execute(
          db,
        )
      }
      const store = await ledger.open()
      expect((await store.channelTotals()).unsettled).toBe(-300n)
    } finally {
      await db.destroy()
      await ledger.dispose()
    }
  })
}

/** A rolling upgrade runs two versions at once, and a downgrade the earlier one. */
function newerSchemaCases({ createEmpty, connect }: MigrationTest): void {
  test('a ledger that a later version migrates is unavailable to this one, open or not', async () => {
    const ledger = await createEmpty()
    const store = await ledger.open()
    const db = connect(ledger.url)
    try {
      expect(await store.ping()).toBe(undefined)
      await sql`insert into ledger_migration (name, timestamp)
        values ('2999-01-01-later', '2999-01-01')`.execute(db)
      const refused = {
        name: 'LedgerError',
        code: 'schema_newer',
        message: expect.stringContaining('2999-01-01-later'),
      }
      await expect(store.ping()).rejects.toMatchObject(refused)
      await expect(ledger.open()).rejects.toMatchObject(refused)
      const opened = openLedger({ url: ledger.url, olderSchema: 'refuse' })
      await expect(opened).rejects.toMatchObject(refused)
    } finally {
      await db.destroy()
      await ledger.dispose()
    }
  })
}

function olderSchemaCases({ dialect, createEmpty, connect }: MigrationTest): void {
  test('an older ledger that is opened to refuse it is not migrated, nor is one created', async () => {
    const ledger = await createEmpty()
    const opened = () => openLedger({ url: ledger.url, olderSchema: 'refuse' })
    await expect(opened()).rejects.toMatchObject({
      code: dialect === 'sqlite' ? 'store_unavailable' : 'schema_older',
    })
    const db = connect(ledger.url)
    try {
      const migrator = createMigrator(db, dialect)
      const done = async () =>
        (await migrator.getMigrations())
          .filter(({ executedAt }) => executedAt)
          .map(({ name }) => name)
      expect(await done()).toEqual([])
      await migrator.migrateTo(lastBefore)
      const before = await done()
      expect(before.at(-1)).toBe(lastBefore)
      await expect(opened()).rejects.toMatchObject({
        code: 'schema_older',
        message: `the schema of the ledger is ${lastBefore}, and this version migrates it to ${latestMigration}`,
      })
      expect(await done()).toEqual(before)
      await ledger.open()
      await (await opened()).close()
    } finally {
      await db.destroy()
      await ledger.dispose()
    }
  })
}

async function fillEverything(store: LedgerStore): Promise<void> {
  await fillLedger(store)
  const { id } = await claimed(store, 5)
  await completed(store, 6, { cost: 900n, refund: { kind: 'batch' } })
  await store.recordPayerFault({
    paymentId: id,
    subject: 'payer',
    cause: 'client_left',
    expiresAt: start,
  })
  const serving = await applyEvents(store, await settled(store, 7), [
    { type: 'service_started', at: start },
  ])
  await store.apply(
    serving,
    { type: 'service_failed', reason: 'upstream_failed', refund: { kind: 'batch' }, at: start },
    { statusCode: 500, contentType: 'text/plain', body: new Uint8Array([1]), expiresAt: start },
  )
  await store.revenueByDay(summedDay)
}

/** Row by row, without the columns that the older tables lack; `seq` counts from one again. */
async function copyRows(from: Kysely<LedgerDatabase>, to: Kysely<LedgerDatabase>): Promise<void> {
  for (const table of tables) {
    const order =
      table === 'payment' || table === 'refund_transfer' || table === 'entry' ? 'seq' : '1'
    const { rows } = await sql<Record<string, unknown>>`
      select * from ${sql.table(table)} order by ${sql.raw(order)}`.execute(from)
    for (const row of rows) {
      const values = Object.entries(row).filter(([name]) => !isNewer(name))
      await sql`insert into ${sql.table(oldNames[table] ?? table)} (${sql.join(values.map(([name]) => sql.ref(name)))})
        values (${sql.join(values.map(([, value]) => value))})`.execute(to)
    }
  }
}

function isNewer(column: string): boolean {
  return ['seq', 'kind', 'channel_id', 'provider_cost', 'unknown_costs'].includes(column)
}

async function countRows(
  db: Kysely<LedgerDatabase>,
  names: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {}
  for (const table of tables) {
    const { rows } = await sql<{ rows: bigint }>`
      select count(*) as rows from ${sql.table(names[table] ?? table)}`.execute(db)
    counts[table] = Number(rows[0]?.rows)
  }
  return counts
}

async function expectRefusals(db: Kysely<LedgerDatabase>): Promise<void> {
  for (const [what, statement] of refusedBefore) {
    const outcome = await sql
      .raw(statement)
      .execute(db)
      .then(
        () => 'accepted',
        (error: unknown) => (isRefusal(error) ? 'refused' : String(error)),
      )
    expect(`${what}: ${outcome}`).toBe(`${what}: refused`)
  }
}

/** What was in progress is finished, and what is new works. */
async function goOn(store: LedgerStore): Promise<void> {
  const transfer = await refundTransferOf(store, refundNonce(1))
  await applyRefundEvents(store, transfer, [
    { type: 'signed', signature: '0xab', validBefore: 1, at: start },
  ])
  const third = (await exported(store)).find(({ payment }) => payment.status === 'settled')
  if (third === undefined) throw new Error('no payment is settled')
  await applyEvents(store, third.payment, [{ type: 'service_started', at: start }])
  expect((await paymentOf(store, third.payment)).status).toBe('serving')
  await claimed(store, 20)
  await opened(store, 1)
  await held(store, 1, { number: 30, max: 1_000n })
}
