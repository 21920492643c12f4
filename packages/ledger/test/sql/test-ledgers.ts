import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import type { TestLedger } from '../../src/conformance.ts'
import type { LedgerStore } from '../../src/index.ts'
import { openLedger } from '../../src/sql.ts'

/** An empty ledger with its URL, so that other processes can open it too. */
export type SqlTestLedger = TestLedger & { readonly url: string }

/** A new file in a temporary folder. */
export async function sqliteTestLedger(): Promise<SqlTestLedger> {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-ledger-'))
  return ledger(`sqlite:${join(folder, 'ledger.db')}`, async () => {
    rmSync(folder, { recursive: true, force: true })
  })
}

/** Gives ledgers whose tables exist: copies of one that was migrated. */
export function migratedSqliteLedgers(): () => Promise<SqlTestLedger> {
  let template: Promise<Buffer> | undefined
  return async () => {
    const ledger = await sqliteTestLedger()
    template ??= migratedFile()
    writeFileSync(ledger.url.replace('sqlite:', ''), await template)
    return ledger
  }
}

async function migratedFile(): Promise<Buffer> {
  const { url, open, dispose } = await sqliteTestLedger()
  try {
    await (await open()).close()
    return readFileSync(url.replace('sqlite:', ''))
  } finally {
    await dispose()
  }
}

/** A new schema on a server, emptied after each test. */
export async function postgresTestLedgers(server: string): Promise<() => Promise<SqlTestLedger>> {
  const schema = `ledger_${process.pid}_${Math.trunc(performance.now())}`
  await execute(server, `create schema ${schema}`)
  const url = new URL(server)
  url.searchParams.set('options', `-c search_path=${schema}`)
  const tables = [
    'daily_revenue',
    'summed_day',
    'payer_fault',
    'free_quota',
    'free_use',
    'gas_paid',
    'daily_gas',
    'hourly_revenue',
    'entry',
    'dispatch',
    'answer',
    'heartbeat',
    'channel_entry',
    'channel_movement',
    'channel_use',
    'payment',
    'refund_transfer',
    'channel',
  ]
  // For a few rows this is faster than truncation; it disables triggers and foreign keys.
  const clear = [
    'set session_replication_role = replica',
    ...tables.map((name) => `delete from ${name}`),
    'update channel_sum set amount = 0',
  ]
  return async () => ledger(url.href, () => execute(url.href, clear.join(';')))
}

/** A new database on a server, without any tables. */
export async function emptyPostgresLedger(server: string): Promise<SqlTestLedger> {
  const name = `ledger_${process.pid}_${Math.trunc(performance.now())}`
  await execute(server, `create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return ledger(url.href, () => execute(server, `drop database ${name}`))
}

/** Runs SQL directly, as an operator with the database's own client would. */
export async function execute(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

function ledger(url: string, remove: () => Promise<void>): SqlTestLedger {
  const opened: LedgerStore[] = []
  return {
    url,
    open: async () => {
      const store = await openLedger({ url, connections: 4 })
      opened.push(store)
      return store
    },
    dispose: async () => {
      await Promise.all(opened.map((store) => store.close()))
      await remove()
    },
  }
}
