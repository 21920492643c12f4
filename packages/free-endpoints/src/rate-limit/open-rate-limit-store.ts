import type { Store } from 'express-rate-limit'
import { connectWithin } from './connect-within.ts'
import { createRedisWatch } from './redis-monitor.ts'
import { createRollingWindowMemory } from './rolling-window-memory.ts'
import {
  createRollingWindowRedis,
  type RedisScripts,
  withFallback,
} from './rolling-window-redis.ts'

/** What of a `redis` client is used; it is connected and closed here. */
export type RateLimitRedis = RedisScripts & {
  on(event: 'error', listener: (error: unknown) => void): unknown
  connect(): Promise<unknown>
  readonly isReady: boolean
  close(): Promise<unknown>
  destroy(): void
}

export type RateLimitStoreOptions = {
  readonly perMinute: number
  /** Shared by all replicas; without it each counts by itself. */
  readonly redis?: RateLimitRedis | undefined
  /** Where the loss of Redis and its return are told; a pino logger is one. */
  readonly logger: { info(line: object): void; warn(line: object): void }
  /** Each request that was counted without Redis, for a figure. */
  readonly onFallback?: () => void
}

export type OpenRateLimitStore = {
  readonly store: Store
  close(): Promise<void>
}

/** Opens the store of a limit by the minute: Redis where there is one, memory elsewhere and meanwhile. */
export async function openRateLimitStore(
  options: RateLimitStoreOptions,
): Promise<OpenRateLimitStore> {
  const { perMinute, redis, logger, onFallback } = options
  const now = (): number => performance.now()
  const window = { limit: perMinute, windowMs: 60_000 }
  const memory = createRollingWindowMemory({ ...window, now })
  if (redis === undefined) return { store: memory, close: () => Promise.resolve() }
  const watch = createRedisWatch({
    now,
    notify: (notice) => {
      if (notice.type === 'redis_up') logger.info({ event: notice.type, requests: notice.requests })
      else logger.warn({ event: notice.type, err: notice.error })
    },
  })
  redis.on('error', watch.failed)
  await connectWithin(() => redis.connect(), 3_000)
  return {
    store: withFallback(createRollingWindowRedis({ ...window, redis }), memory, {
      ...watch,
      didWithout: () => {
        watch.didWithout()
        onFallback?.()
      },
    }),
    close: async () => {
      if (redis.isReady) await redis.close()
      else redis.destroy()
    },
  }
}
