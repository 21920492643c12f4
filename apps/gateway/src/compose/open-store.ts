import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { LedgerStore } from '@farebox/ledger'
import { type OpenLedgerOptions, openLedger, sqlitePath } from '@farebox/ledger/sql'
import type { Config } from '../settings.ts'

/** Opens the configured ledger. Defaults to a SQLite file in the data folder. */
export async function openStore(
  config: LedgerSettings,
  options?: Pick<OpenLedgerOptions, 'notify'>,
): Promise<LedgerStore> {
  return openLedger({ url: ledgerUrl(config), ...options })
}

/**
 * Opens the existing ledger of a gateway for a command. It never creates one: in the wrong folder, an
 * export would be empty and an audit clean.
 *
 * @throws {MissingLedgerError} `missing_ledger`.
 */
export async function openExistingStore(config: LedgerSettings): Promise<LedgerStore> {
  const path = sqlitePath(ledgerUrl(config))
  if (path !== undefined && !existsSync(path)) throw new MissingLedgerError(path)
  return await openStore(config)
}

/** The address of the configured ledger. */
export function ledgerUrl({ DATABASE_URL, DATA_DIR }: LedgerSettings): string {
  return DATABASE_URL ?? `sqlite:${join(DATA_DIR, 'ledger.sqlite')}`
}

/** Where the ledger is. */
export type LedgerSettings = Pick<Config, 'DATABASE_URL' | 'DATA_DIR'>

/** The SQLite file of the ledger does not exist. */
export class MissingLedgerError extends Error {
  override readonly name = 'MissingLedgerError'
  readonly code = 'missing_ledger'
  constructor(path: string) {
    super(`There is no ledger at ${path}. Set DATA_DIR or DATABASE_URL to that of the gateway.`)
  }
}
