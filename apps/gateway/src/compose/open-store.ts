import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { LedgerStore } from '@farebox/ledger'
import { openLedger } from '@farebox/ledger/sql'
import type { Config } from '../settings.ts'

/** Opens the configured ledger. Defaults to a SQLite file in the data folder. */
export async function openStore(config: Config): Promise<LedgerStore> {
  const { DATABASE_URL: url, DATA_DIR: folder } = config
  if (url !== undefined) return openLedger({ url })
  await mkdir(folder, { recursive: true })
  return openLedger({ url: `sqlite:${join(folder, 'ledger.sqlite')}` })
}
