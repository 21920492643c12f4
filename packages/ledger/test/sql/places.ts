import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import type { LedgerPlace } from '../../src/conformance.ts'
import type { LedgerStore } from '../../src/index.ts'
import { openLedger } from '../../src/sql.ts'

/** An empty ledger whose address is known, so that other processes can open it too. */
export type SqlPlace = LedgerPlace & { readonly url: string }

/** A file of its own in a fresh folder. */
export async function sqlitePlace(): Promise<SqlPlace> {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-ledger-'))
  return place(`sqlite:${join(folder, 'ledger.db')}`, async () => {
    rmSync(folder, { recursive: true, force: true })
  })
}

/** A schema of its own on a server, emptied after each test. */
export async function postgresPlaces(server: string): Promise<() => Promise<SqlPlace>> {
  const schema = `ledger_${process.pid}_${Math.trunc(performance.now())}`
  await execute(server, `create schema ${schema}`)
  const url = new URL(server)
  url.searchParams.set('options', `-c search_path=${schema}`)
  const tables = ['entry', 'dispatch', 'answer', 'heartbeat', 'payment', 'payout']
  // For a handful of rows this is faster than truncation; triggers and keys are off for it.
  const clear = [
    'set session_replication_role = replica',
    ...tables.map((name) => `delete from ${name}`),
  ]
  return async () => place(url.href, () => execute(url.href, clear.join(';')))
}

/** Runs SQL beside the store, as an operator with the database's own client would. */
export async function execute(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

function place(url: string, remove: () => Promise<void>): SqlPlace {
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
