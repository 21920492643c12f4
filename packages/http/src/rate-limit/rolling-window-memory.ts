import type { ClientRateLimitInfo, Store } from 'express-rate-limit'

export type RollingWindowOptions = {
  /** Requests that one key may make in any window. */
  readonly limit: number
  readonly windowMs: number
}

export type RollingWindowMemoryOptions = RollingWindowOptions & {
  /** Milliseconds; only differences count. */
  readonly now: () => number
  /** How many keys are kept; those idle for longest are dropped first. */
  readonly maxKeys?: number
}

/**
 * Counts the requests of a rolling window in memory: a key passes at most `limit` times in any span of
 * `windowMs`, wherever it begins. A rejected request is not recorded.
 */
export function createRollingWindowMemory(options: RollingWindowMemoryOptions): Store {
  const { limit, windowMs, now, maxKeys = 100_000 } = options
  const hits = new Map<string, number[]>()

  function recent(key: string): number[] {
    const times = hits.get(key) ?? []
    const start = now() - windowMs
    const firstInside = times.findIndex((time) => time > start)
    times.splice(0, firstInside === -1 ? times.length : firstInside)
    return times
  }

  function forgetIdle(): void {
    const start = now() - windowMs
    for (const [key, times] of hits) {
      if ((times.at(-1) ?? start) > start && hits.size <= maxKeys) return
      hits.delete(key)
    }
  }

  function increment(key: string): ClientRateLimitInfo {
    const times = recent(key)
    const passes = times.length < limit
    if (passes) times.push(now())
    // Deleting and setting a key moves it to the end: the map stays in order of last use.
    hits.delete(key)
    hits.set(key, times)
    forgetIdle()
    // Above every limit: that of the middleware may be higher than this one.
    return info(passes ? times.length : Infinity, times, { windowMs, now })
  }

  return {
    localKeys: true,
    increment,
    get: (key) => {
      const times = recent(key)
      return info(times.length, times, { windowMs, now })
    },
    decrement: (key) => {
      hits.get(key)?.pop()
    },
    resetKey: (key) => {
      hits.delete(key)
    },
    resetAll: () => {
      hits.clear()
    },
  }
}

function info(
  totalHits: number,
  times: readonly number[],
  { windowMs, now }: { readonly windowMs: number; readonly now: () => number },
): ClientRateLimitInfo {
  const oldest = times[0] ?? now()
  return { totalHits, resetTime: new Date(Date.now() + oldest + windowMs - now()) }
}
