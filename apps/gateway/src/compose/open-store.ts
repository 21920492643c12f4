import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { LedgerStore } from '@farebox/ledger'
import { type OpenLedgerOptions, openLedger, sqlitePath } from '@farebox/ledger/sql'
import { databaseClient } from '../dependencies/database-client.ts'
import type { Config } from '../settings.ts'

/** Opens the configured ledger. Defaults to a SQLite file in the data folder. */
export async function openStore(
  config: LedgerSettings,
  options?: Pick<OpenLedgerOptions, 'notify' | 'olderSchema'>,
): Promise<LedgerStore> {
  return openLedger({ url: ledgerUrl(config), ...options })
}

/**
 * Opens the existing ledger of a gateway for a command. It never creates one: in the wrong folder or
 * database, an export would be empty and every transfer unexplained, and a backup could not be
 * restored into tables that exist. Nor does it migrate one: a gateway of an earlier version that still
 * runs would sell nothing from then on.
 *
 * @throws {MissingLedgerError} `missing_ledger`.
 * @throws {LedgerError} `schema_older`, and what `openLedger` throws.
 */
export async function openExistingStore(config: LedgerSettings): Promise<LedgerStore> {
  const url = ledgerUrl(config)
  const path = sqlitePath(url)
  if (path === undefined && (await isEmptyDatabase(url))) {
    throw new MissingLedgerError('in the database of DATABASE_URL')
  }
  if (path !== undefined && !existsSync(path)) throw new MissingLedgerError(`at ${path}`)
  return await openStore(config, { olderSchema: 'refuse' })
}

/** Whether PostgreSQL has no ledger. If it does not answer, opening the ledger reports why. */
async function isEmptyDatabase(url: string): Promise<boolean> {
  const client = await databaseClient(url)
  try {
    await client.connect()
    const { rowCount } = await client.query("select where to_regclass('ledger_migration') is null")
    return rowCount === 1
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** The address of the configured ledger. */
export function ledgerUrl({ DATABASE_URL, DATA_DIR }: LedgerSettings): string {
  return DATABASE_URL ?? `sqlite:${join(DATA_DIR, 'ledger.sqlite')}`
}

/** Where the ledger is. */
export type LedgerSettings = Pick<Config, 'DATABASE_URL' | 'DATA_DIR'>

/** The configured ledger does not exist. */
export class MissingLedgerError extends Error {
  override readonly name = 'MissingLedgerError'
  readonly code = 'missing_ledger'
  constructor(place: string) {
    super(`There is no ledger ${place}. Set DATA_DIR or DATABASE_URL to that of the gateway.`)
  }
}
