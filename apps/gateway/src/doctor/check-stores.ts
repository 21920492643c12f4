import { setTimeout as sleep } from 'node:timers/promises'
import { LedgerError } from '@farebox/ledger'
import { createClient } from 'redis'
import { ledgerFix } from '../compose/ledger-fix.ts'
import { ledgerUrl, openStore } from '../compose/open-store.ts'
import type { Config } from '../settings.ts'
import { checkRows } from './check-rows.ts'
import { type Finding, finding } from './finding.ts'
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

/** Pings Redis, if it is configured. */
export function checkRedis({ REDIS_URL: url }: Config): Promise<readonly Finding[]> {
  const subject = 'redis'
  return finding({ subject, fix: 'start Redis, or correct REDIS_URL' }, async () => {
    if (url === undefined) {
      return [
        {
          verdict: 'note',
          subject,
          message: 'not configured: each replica counts requests separately',
        },
      ]
    }
    const redis = createClient({ url, socket: { reconnectStrategy: false, connectTimeout: 5_000 } })
    // The same error rejects the command.
    redis.on('error', () => undefined)
    try {
      await Promise.race([redis.connect().then(() => redis.ping()), late()])
      return [{ verdict: 'ok', subject, message: 'Redis is reachable' }]
    } finally {
      if (redis.isOpen) redis.destroy()
    }
  })
}

async function late(): Promise<never> {
  await sleep(10_000, undefined, { ref: false })
  throw new DOMException('Redis did not respond', 'TimeoutError')
}
