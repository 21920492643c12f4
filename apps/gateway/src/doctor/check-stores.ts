import { createClient } from 'redis'
import { openStore } from '../compose/open-store.ts'
import type { Config } from '../settings.ts'
import { type Finding, finding } from './finding.ts'

/** Opens the ledger and checks that a write would be durable. */
export function checkDatabase(config: Config): Promise<readonly Finding[]> {
  const subject = 'database'
  return finding(subject, async () => {
    const store = await openStore(config)
    try {
      await store.ping()
      const kind = config.DATABASE_URL?.startsWith('postgres') === true ? 'PostgreSQL' : 'SQLite'
      return [{ verdict: 'ok', subject, message: `${kind} is reachable` }]
    } finally {
      await store.close()
    }
  })
}

/** Pings Redis, if it is configured. */
export function checkRedis({ REDIS_URL: url }: Config): Promise<readonly Finding[]> {
  const subject = 'redis'
  return finding(subject, async () => {
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
    const faults: unknown[] = []
    redis.on('error', (fault) => faults.push(fault))
    await redis.connect()
    await redis.ping()
    await redis.close()
    return [{ verdict: 'ok', subject, message: 'Redis is reachable' }]
  })
}
