import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'redis'
import type { Config } from '../settings.ts'
import { type Finding, finding } from './finding.ts'

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
