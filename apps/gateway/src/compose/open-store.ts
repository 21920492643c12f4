import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { LedgerStore } from '@farebox/ledger'
import { type OpenLedgerOptions, openLedger } from '@farebox/ledger/sql'
import type { Config } from '../settings.ts'

/** Opens the configured ledger. Defaults to a SQLite file in the data folder. */
export async function openStore(
  config: LedgerSettings,
  options?: Pick<OpenLedgerOptions, 'notify'>,
): Promise<LedgerStore> {
  if (config.DATABASE_URL === undefined) await mkdir(config.DATA_DIR, { recursive: true })
  return openLedger({ url: ledgerUrl(config), ...options })
}

/** The address of the configured ledger. */
export function ledgerUrl({ DATABASE_URL, DATA_DIR }: LedgerSettings): string {
  return DATABASE_URL ?? `sqlite:${join(DATA_DIR, 'ledger.sqlite')}`
}

/** Where the ledger is. */
export type LedgerSettings = Pick<Config, 'DATABASE_URL' | 'DATA_DIR'>
