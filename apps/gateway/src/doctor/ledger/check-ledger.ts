import { LedgerError } from '@farebox/ledger'
import { sqlitePath } from '@farebox/ledger/sql'
import { ledgerFix } from '../../compose/ledger-fix.ts'
import { ledgerUrl, MissingLedgerError, openExistingStore } from '../../compose/open-store.ts'
import type { Config } from '../../settings.ts'
import { type Finding, finding } from '../finding.ts'
import { checkFirstStart } from './check-first-start.ts'
import { checkRows } from './check-rows.ts'
import { poolProblem } from './pool-problem.ts'

/**
 * Opens the ledger and reads from it, without migrating it. Reports whether a start can create one that
 * does not exist.
 */
export function checkLedger(config: Config): Promise<readonly Finding[]> {
  const subject = 'database'
  const url = ledgerUrl(config)
  const fix = isPostgres(url)
    ? 'point DATABASE_URL at a running primary server with a free connection'
    : 'give this user the folder of the file, or set DATABASE_URL'
  return finding({ subject, fix }, async () => {
    try {
      return await readLedger(config)
    } catch (error) {
      return [await describe(error, url)]
    }
  })
}

async function readLedger(config: Config): Promise<readonly Finding[]> {
  const store = await openExistingStore(config)
  try {
    await store.ping()
    const url = ledgerUrl(config)
    const problem = await poolProblem(url)
    if (problem !== undefined) return [problem]
    const rows = await checkRows(store, () => performance.now())
    const message = `${isPostgres(url) ? 'PostgreSQL' : 'SQLite'} is reachable`
    return [{ verdict: 'ok', subject: 'database', message }, ...rows]
  } finally {
    await store.close()
  }
}

function isPostgres(url: string): boolean {
  return sqlitePath(url) === undefined
}

async function describe(error: unknown, url: string): Promise<Finding> {
  if (error instanceof MissingLedgerError) return await checkFirstStart(url)
  if (error instanceof LedgerError && error.code === 'schema_older') {
    const message = `${error.message} at its next start`
    return (await poolProblem(url)) ?? { verdict: 'note', subject: 'database', message }
  }
  const fix = error instanceof LedgerError ? ledgerFix(error) : undefined
  if (!(error instanceof LedgerError) || fix === undefined) throw error
  return { verdict: 'wrong', subject: 'database', message: error.message, fix }
}
