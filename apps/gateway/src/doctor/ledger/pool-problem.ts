import type { Finding } from '../finding.ts'
import { isTransactionPool } from './is-transaction-pool.ts'

/** Why the address of PostgreSQL cannot be used, if it is that of a pool. */
export async function poolProblem(url: string): Promise<Finding | undefined> {
  return (await isTransactionPool(url)) ? transactionPool : undefined
}

const transactionPool: Finding = {
  verdict: 'wrong',
  subject: 'database',
  message:
    'DATABASE_URL is a pool in transaction mode: prepared statements and durability need a session',
  fix: 'use the address of PostgreSQL itself, or a pool in session mode',
}
