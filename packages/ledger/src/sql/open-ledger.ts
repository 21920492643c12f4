import { LedgerError } from '../payment/ledger-error.ts'
import type { LedgerStore } from '../store/ledger-store.ts'
import { openPostgres } from './postgres/open-postgres.ts'
import { openSqlite } from './sqlite/open-sqlite.ts'

export type OpenLedgerOptions = {
  /** `sqlite:PATH` or `postgres://…` */
  readonly url: string
  /** The most connections to PostgreSQL; 16 unless given. */
  readonly connections?: number
}

/**
 * Opens the ledger in a database, which is brought to the present schema first. Several processes
 * may share one PostgreSQL database, and one SQLite file on one machine.
 *
 * @example
 * const ledger = await openLedger({ url: 'sqlite:farebox.db' })
 * const outcome = await ledger.claim(payment)
 * await ledger.close()
 *
 * @throws {LedgerError} `invalid_url`, `driver_missing`, `node_too_old`, `store_unavailable`.
 */
export async function openLedger({
  url,
  connections = 16,
}: OpenLedgerOptions): Promise<LedgerStore> {
  if (/^postgres(?:ql)?:\/\//.test(url)) return openPostgres(url, connections)
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(url)?.[1]
  if (path === undefined || path === ':memory:') {
    throw new LedgerError('invalid_url', 'a ledger is at sqlite:PATH or postgres://…')
  }
  return openSqlite(path)
}
