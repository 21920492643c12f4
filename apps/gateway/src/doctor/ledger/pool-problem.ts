import { sqlitePath } from '@farebox/ledger/sql'
import type { Finding } from '../finding.ts'
import { isTransactionPool } from './is-transaction-pool.ts'

/** Why the ledger cannot be used at this address, if it is that of a pool in transaction mode. */
export async function poolProblem(url: string): Promise<Finding | undefined> {
  const isPostgres = sqlitePath(url) === undefined
  return isPostgres && (await isTransactionPool(url)) ? transactionPool : undefined
}

const transactionPool: Finding = {
  verdict: 'wrong',
  subject: 'database',
  message:
    'DATABASE_URL is a pool in transaction mode: prepared statements and durability need a session',
  fix: 'use the address of PostgreSQL itself, or a pool in session mode',
}
