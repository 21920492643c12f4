import {
  createRollingWindowMemory,
  createRollingWindowRedis,
  withFallback,
} from '@farebox/free-endpoints'
import { createClient } from 'redis'
import type { Logger } from './logger.ts'
import type { Config } from './settings.ts'

type Store = ReturnType<typeof createRollingWindowMemory>

/** Opens the store of the rate limit: Redis where it is given, else memory. */
export async function openRateLimitStore(
  { REDIS_URL: url, RATE_LIMIT_PER_MINUTE: limit }: Pick<Config, 'REDIS_URL' | 'RATE_LIMIT_PER_MINUTE'>,
  logger: Logger,
): Promise<{ readonly store: Store; readonly close: () => Promise<void> }> {
  const window = { limit, windowMs: 60_000 }
  const memory = createRollingWindowMemory({ ...window, now: () => performance.now() })
  if (url === undefined) return { store: memory, close: () => Promise.resolve() }
  const redis = createClient({ url, disableOfflineQueue: true })
  const onFault = (err: unknown): void => {
    logger.warn({ event: 'redis_fault', err })
  }
  redis.on('error', onFault)
  await redis.connect()
  const shared = createRollingWindowRedis({
    ...window,
    redis: { eval: (script, options) => redis.eval(script, { keys: [...options.keys], arguments: [...options.arguments] }), del: (key) => redis.del(key) },
  })
  return {
    store: withFallback(shared, memory, onFault),
    close: () => redis.close(),
  }
}
