import { DatabaseSync } from 'node:sqlite'
import { openLedger } from '@farebox/ledger/sql'
import { Client } from 'pg'
import { channelStatements, type FilledYear, fillStatements } from './fill-statements.ts'
import { type FillWords, postgresWords, sqliteWords } from './fill-words.ts'

const batch = 100_000
const yearMs = 365 * 86_400_000

/**
 * Creates a ledger with a year of payments, as a gateway leaves them: with refunds,
 * entries, service starts and channels. Writes SQL, since the ledger itself would take days.
 */
export async function fillLedger(
  url: string,
  size: Pick<FilledYear, 'payments' | 'open'>,
): Promise<void> {
  await (await openLedger({ url })).close()
  const year = { ...size, begunAt: Date.now() - yearMs }
  await (url.startsWith('sqlite:')
    ? fillSqlite(url.slice('sqlite:'.length), year)
    : fillPostgres(url, year))
}

/** The number of payments in the name of a ledger such as `sqlite:/tmp/ledger-10000000.sqlite`. */
export function paymentsIn(url: string): number {
  return Number(/(\d+)\D*$/.exec(url)?.[1])
}

function statementsOf(words: FillWords, year: FilledYear): readonly (readonly string[])[] {
  const { payments } = year
  const ranges = Array.from({ length: Math.ceil(payments / batch) }, (_, index) => ({
    low: index * batch + 1,
    high: Math.min(payments, (index + 1) * batch),
  }))
  return [
    channelStatements(words, year),
    ...ranges.map((rows) => fillStatements(words, year, rows)),
  ]
}

/** Indexes are built at the end: sorting takes a fraction of the time of random insertions. */
async function fillSqlite(file: string, year: FilledYear): Promise<void> {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  database.exec(`pragma journal_mode = memory; pragma synchronous = off; pragma cache_size = -3000000;
    pragma ignore_check_constraints = on`)
  const indexes = database
    .prepare(`select name, sql from sqlite_master where type = 'index' and sql is not null
      and tbl_name in ('payment', 'refund_transfer', 'entry', 'channel_use')`)
    .all()
  for (const { name } of indexes) database.exec(`drop index ${String(name)}`)
  for (const statements of statementsOf(sqliteWords, year)) {
    database.exec(`begin;${statements.join(';')};commit`)
  }
  for (const { sql } of indexes) database.exec(String(sql))
  database.close()
}

async function fillPostgres(url: string, year: FilledYear): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const run = async (statement: string): Promise<void> => {
    await client.query(statement)
  }
  await run(`set synchronous_commit = off; set session_replication_role = replica;
    set maintenance_work_mem = '1GB'`)
  const { rows: indexes } = await client.query<{ indexname: string; indexdef: string }>(
    `select indexname, indexdef from pg_indexes where schemaname = current_schema()
      and tablename in ('payment', 'refund_transfer', 'entry', 'channel_use')
      and not exists (select 1 from pg_constraint where conname = indexname)`,
  )
  for (const { indexname } of indexes) await run(`drop index ${indexname}`)
  for (const statements of statementsOf(postgresWords, year)) {
    await run(`begin;${statements.join(';')};commit`)
  }
  for (const { indexdef } of indexes) await run(indexdef)
  for (const table of ['payment', 'channel']) {
    await run(
      `select setval(pg_get_serial_sequence('${table}', 'seq'), (select max(seq) from ${table}))`,
    )
  }
  await run('vacuum analyze')
  await client.end()
}
