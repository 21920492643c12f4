import type { Store } from 'express-rate-limit'
import { answeredWithin } from './answered-within.ts'
import { connectWithin } from './connect-within.ts'
import { createRedisMonitor } from './redis-monitor.ts'
import { refuseNoLimit } from './refuse-no-limit.ts'
import { createRollingWindowMemory } from './rolling-window-memory.ts'
import { createRollingWindowRedis, type RedisScripts } from './rolling-window-redis.ts'
import { withFallback } from './with-fallback.ts'

/** The part of a `redis` client that is used; it is connected and closed here. */
export type RateLimitRedis = RedisScripts & {
  on(event: 'error', listener: (error: unknown) => void): unknown
  connect(): Promise<unknown>
  readonly isReady: boolean
  close(): Promise<unknown>
  destroy(): void
}

export type RateLimitStoreOptions = {
  readonly perMinute: number
  /** Shared by all replicas; without it, each replica counts on its own. */
  readonly redis?: RateLimitRedis | undefined
  /** Logs the loss of Redis and its return; a pino logger fits. */
  readonly logger: { info(line: object): void; warn(line: object): void }
  /** Called for each request that was counted without Redis. */
  readonly onFallback?: () => void
}

export type OpenRateLimitStore = {
  readonly store: Store
  /** The state of Redis; `undefined` without it. */
  redisState(): 'ok' | 'unavailable' | undefined
  close(): Promise<void>
}

/**
 * Opens the store of a limit per minute: Redis if there is one, memory otherwise and as fallback.
 *
 * @throws {RangeError} if `perMinute` is NaN, which nothing exceeds.
 */
export async function openRateLimitStore(
  options: RateLimitStoreOptions,
): Promise<OpenRateLimitStore> {
  const { perMinute, redis, logger, onFallback } = options
  refuseNoLimit('perMinute', perMinute)
  const now = (): number => performance.now()
  const window = { limit: perMinute, windowMs: 60_000 }
  const memory = createRollingWindowMemory({ ...window, now })
  if (redis === undefined) {
    return { store: memory, redisState: () => undefined, close: () => Promise.resolve() }
  }
  const monitor = createRedisMonitor({
    now,
    notify: (notice) => {
      if (notice.type === 'redis_up') logger.info({ event: notice.type, requests: notice.requests })
      else logger.warn({ event: notice.type, err: notice.error })
    },
  })
  let connectError: unknown
  redis.on('error', (error) => {
    connectError = error
    monitor.recordFailure(error)
  })
  await connectWithin(() => redis.connect(), 3_000)
  const shared = createRollingWindowRedis({ ...window, redis })
  return {
    store: withFallback(answeredWithin(shared, { now, answerMs: 1_000, pauseMs: 5_000 }), memory, {
      ...monitor,
      recordSuccess: () => {
        connectError = undefined
        monitor.recordSuccess()
      },
      // Without a connection, the error of a request says only that it is not connected.
      recordFailure: (error) => {
        monitor.recordFailure(redis.isReady ? error : (connectError ?? error))
      },
      recordFallback: () => {
        monitor.recordFallback()
        onFallback?.()
      },
    }),
    redisState: () => (monitor.isDown() ? 'unavailable' : 'ok'),
    close: async () => {
      // A graceful end waits for all answers.
      if (redis.isReady && !monitor.isDown()) await redis.close()
      else redis.destroy()
    },
  }
}
