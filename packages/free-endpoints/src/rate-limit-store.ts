import type { Store } from 'express-rate-limit'
import { createRollingWindowMemory } from './rolling-window-memory.ts'
import {
  createRollingWindowRedis,
  type RedisScripts,
  withFallback,
} from './rolling-window-redis.ts'

export type RateLimitStoreOptions = {
  readonly perMinute: number
  /** Shared by all replicas; without it each counts by itself. */
  readonly redis?: RedisScripts | undefined
  readonly onFault: (fault: unknown) => void
}

/** The store of a limit by the minute: Redis where there is one, memory elsewhere and meanwhile. */
export function createRateLimitStore({ perMinute, redis, onFault }: RateLimitStoreOptions): Store {
  const window = { limit: perMinute, windowMs: 60_000 }
  const memory = createRollingWindowMemory({ ...window, now: () => performance.now() })
  if (redis === undefined) return memory
  return withFallback(createRollingWindowRedis({ ...window, redis }), memory, onFault)
}
