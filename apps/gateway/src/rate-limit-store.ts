import { connectWithin, createRateLimitStore, type RateLimitOptions } from '@farebox/free-endpoints'
import { createClient } from 'redis'
import type { Logger } from './logger.ts'
import type { Config } from './settings.ts'

export type OpenRateLimitStore = {
  readonly store: RateLimitOptions['store']
  readonly close: () => Promise<void>
}

/** Opens the store of the rate limit: Redis where the configuration has one, else memory. */
export async function openRateLimitStore(
  {
    REDIS_URL: url,
    RATE_LIMIT_PER_MINUTE: perMinute,
  }: Pick<Config, 'REDIS_URL' | 'RATE_LIMIT_PER_MINUTE'>,
  logger: Logger,
): Promise<OpenRateLimitStore> {
  const onFault = (err: unknown): void => {
    logger.warn({ event: 'redis_fault', err })
  }
  if (url === undefined) {
    return { store: createRateLimitStore({ perMinute, onFault }), close: () => Promise.resolve() }
  }
  const redis = createClient({ url, disableOfflineQueue: true })
  redis.on('error', onFault)
  await connectWithin(() => redis.connect(), 3_000)
  const close = async (): Promise<void> => {
    if (redis.isReady) await redis.close()
    else redis.destroy()
  }
  return { store: createRateLimitStore({ perMinute, redis, onFault }), close }
}
