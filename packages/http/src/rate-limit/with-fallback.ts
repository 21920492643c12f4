import type { Store } from 'express-rate-limit'
import type { RedisMonitor } from './redis-monitor.ts'

/** Uses `fallback` while the first store fails: without Redis, each replica still limits. */
export function withFallback(store: Store, fallback: Store, monitor: RedisMonitor): Store {
  return {
    localKeys: false,
    increment: async (key) => {
      try {
        const counted = await store.increment(key)
        monitor.recordSuccess()
        return counted
      } catch (fault) {
        monitor.recordFailure(fault)
        monitor.recordFallback()
        return fallback.increment(key)
      }
    },
    decrement: (key) => store.decrement(key),
    resetKey: async (key) => {
      await store.resetKey(key)
      await fallback.resetKey(key)
    },
  }
}
