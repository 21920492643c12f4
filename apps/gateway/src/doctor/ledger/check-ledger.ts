import { LedgerError } from '@farebox/ledger'
import { ledgerFix } from '../../compose/ledger-fix.ts'
import { ledgerUrl, openStore } from '../../compose/open-store.ts'
import type { Config } from '../../settings.ts'
import { type Finding, finding } from '../finding.ts'
import { checkRows } from './check-rows.ts'
import { isTransactionPool } from './is-transaction-pool.ts'

/** Opens the ledger and reads from it. */
export function checkLedger(config: Config): Promise<readonly Finding[]> {
  const subject = 'database'
  const isPostgres = config.DATABASE_URL?.startsWith('postgres') === true
  const fix = isPostgres
    ? 'point DATABASE_URL at a running primary server with a free connection'
    : 'give this user the folder of the file, or set DATABASE_URL'
  return finding({ subject, fix }, async () => {
    const store = await openStore(config).catch(unopened)
    if ('verdict' in store) return [store]
    try {
      await store.ping()
      const kind = isPostgres ? 'PostgreSQL' : 'SQLite'
      if (isPostgres && (await isTransactionPool(ledgerUrl(config)))) return [transactionPool]
      const rows = await checkRows(store, () => performance.now())
      return [{ verdict: 'ok', subject, message: `${kind} is reachable` }, ...rows]
    } finally {
      await store.close()
    }
  })
}

function unopened(error: unknown): Finding {
  const fix = error instanceof LedgerError ? ledgerFix(error) : undefined
  if (!(error instanceof LedgerError) || fix === undefined) throw error
  return { verdict: 'wrong', subject: 'database', message: error.message, fix }
}

const transactionPool: Finding = {
  verdict: 'wrong',
  subject: 'database',
  message:
    'DATABASE_URL is a pool in transaction mode: prepared statements and durability need a session',
  fix: 'use the address of PostgreSQL itself, or a pool in session mode',
}
