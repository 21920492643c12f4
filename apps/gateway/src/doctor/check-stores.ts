import { createClient } from 'redis'
import { openStore } from '../compose/open-store.ts'
import type { Config } from '../settings.ts'
import { type Finding, finding } from './finding.ts'

/** Opens the ledger and reads from it. */
export function checkLedger(config: Config): Promise<readonly Finding[]> {
  const subject = 'database'
  const isPostgres = config.DATABASE_URL?.startsWith('postgres') === true
  const fix = isPostgres
    ? 'start PostgreSQL, or correct DATABASE_URL'
    : 'give this user the folder of the file, or set DATABASE_URL'
  return finding({ subject, fix }, async () => {
    const store = await openStore(config)
    try {
      await store.ping()
      const kind = isPostgres ? 'PostgreSQL' : 'SQLite'
      return [{ verdict: 'ok', subject, message: `${kind} is reachable` }]
    } finally {
      await store.close()
    }
  })
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
      await redis.connect()
      await redis.ping()
      return [{ verdict: 'ok', subject, message: 'Redis is reachable' }]
    } finally {
      if (redis.isOpen) redis.destroy()
    }
  })
}
