import { type Kysely, sql } from 'kysely'
import { accounts } from '../../book/ledger-entry.ts'
import { paymentKinds, refundStatuses } from '../../payment/payment-record.ts'
import { channelTables } from './channel-tables.ts'
import { channelTriggers } from './channel-triggers.ts'
import {
  entryTable,
  hexOf,
  listed,
  paymentTable,
  withoutTimeout,
  wordsOf,
} from './create-tables.ts'
import type { SqlDialect } from './schema.ts'

/**
 * Adds payment channels: their tables, the kind of a payment, the refund status `released` and two
 * accounts. PostgreSQL changes the constraints of its tables; SQLite cannot, so it copies them.
 */
export async function addChannels<Database>(
  db: Kysely<Database>,
  dialect: SqlDialect,
): Promise<void> {
  const run = (statements: readonly string[]): Promise<void> => execute(db, statements)
  if (dialect === 'postgres') await run(alteredTables)
  else await copyTables(db)
  await run([...channelTables(dialect), ...depositIndexes, ...channelTriggers(dialect)])
}

const kindColumn = `kind text not null default 'sale' check (kind in (${listed(paymentKinds)}))`
/** Not a foreign key: it would need an index over all payments. */
const channelColumn = `channel_id text ${hexOf('channel_id', 32)}`

/** A call is never settled or refunded on the chain, and a deposit is never served or refunded. */
const checks: Readonly<Record<string, string>> = {
  payment_channel_check: "(kind = 'sale') = (channel_id is null)",
  payment_call_check: `kind <> 'channel_call' or (status in ('serving', 'completed', 'failed')
    and settlement_transaction is null and payload is null
    and coalesce(refund_status, 'released') = 'released')`,
  payment_deposit_check: `kind <> 'channel_deposit' or (refund_amount is null
    and status not in ('settled', 'serving', 'failed'))`,
  payment_refund_check: `case
    when refund_status = 'accruing' then refund_nonce is null
    when refund_status = 'released' then refund_nonce is null and kind = 'channel_call'
    else coalesce(refund_status, 'written_off') = 'written_off' or refund_nonce is not null end`,
}

const depositIndexes: readonly string[] = [
  `create unique index payment_deposit_in_flight on payment (channel_id)
    where kind = 'channel_deposit' and status in ('settling', 'unknown')`,
  `create index payment_deposit on payment (channel_id) where kind = 'channel_deposit'`,
]

/** The constraints that list words have names of PostgreSQL's choice. */
const outdated = `
  do $$ declare one record; begin
    for one in select conrelid::regclass as place, conname as name from pg_constraint
      where contype = 'c' and (
        (conrelid = 'payment'::regclass and pg_get_constraintdef(oid) like '%''accruing''%')
        or (conrelid = 'entry'::regclass and pg_get_constraintdef(oid) like '%''treasury''%'))
    loop
      execute format('alter table %s drop constraint %I', one.place, one.name);
    end loop;
  end $$`

const alteredTables: readonly string[] = [
  ...withoutTimeout('postgres'),
  outdated,
  `alter table payment add column ${kindColumn}, add column ${channelColumn},
    add constraint payment_refund_status_check
      check (refund_status in (${listed(refundStatuses)}))`,
  ...Object.entries(checks).map(
    ([name, check]) => `alter table payment add constraint ${name} check (${check})`,
  ),
  `alter table entry
    add constraint entry_debit_check check (debit in (${listed(accounts)})),
    add constraint entry_credit_check check (credit in (${listed(accounts)}))`,
]

const copiedTables: Readonly<Record<'payment' | 'entry', string>> = {
  payment: paymentTable(wordsOf('sqlite'), {
    name: 'copy_of_payment',
    refundStatuses,
    columns: `${kindColumn}, ${channelColumn},`,
    checks: Object.values(checks)
      .map((check) => `check (${check})`)
      .join(', '),
  }),
  entry: entryTable(wordsOf('sqlite'), { name: 'copy_of_entry', accounts }),
}

/**
 * The caller has turned foreign keys off: otherwise dropping a table would delete what refers to it.
 * Triggers are dropped before, since renaming a table checks them all.
 */
async function copyTables<Database>(db: Kysely<Database>): Promise<void> {
  const kept = await sql<{ readonly name: string; readonly type: string; readonly sql: string }>`
    select name, type, sql from sqlite_master where sql is not null
    and (type = 'trigger' or (type = 'index' and tbl_name in ('payment', 'entry')))`.execute(db)
  const triggers = kept.rows.filter(({ type }) => type === 'trigger')
  await execute(
    db,
    triggers.map(({ name }) => `drop trigger ${name}`),
  )
  for (const [name, create] of Object.entries(copiedTables)) {
    const columns = await sql<{ readonly name: string }>`
      select name from pragma_table_info(${name})`.execute(db)
    const names = columns.rows.map((column) => column.name).join(', ')
    await execute(db, [
      create,
      `insert into copy_of_${name} (${names}) select ${names} from ${name}`,
      `drop table ${name}`,
      `alter table copy_of_${name} rename to ${name}`,
    ])
  }
  await execute(
    db,
    kept.rows.map((one) => one.sql),
  )
  const broken = await sql`pragma foreign_key_check`.execute(db)
  if (broken.rows.length > 0) throw new Error('a copied row refers to one that is missing')
}

async function execute<Database>(
  db: Kysely<Database>,
  statements: readonly string[],
): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
