export type RedisNotice =
  | { readonly type: 'redis_down'; readonly error: unknown }
  /** `requests` were counted by this process alone in the meantime. */
  | { readonly type: 'redis_up'; readonly requests: number }

export type RedisMonitor = {
  recordFailure(error: unknown): void
  recordSuccess(): void
  /** A request was counted without Redis. */
  recordFallback(): void
  isDown(): boolean
}

export type RedisMonitorOptions = {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  readonly notify: (notice: RedisNotice) => void
}

/** An outage ends after this long without a failure: a store that flaps is reported once. */
const recoveryMs = 5_000

/** Reports each outage once, from the outcomes of single requests. */
export function createRedisMonitor({ now, notify }: RedisMonitorOptions): RedisMonitor {
  let outage: { lastFailure: number; requests: number } | null = null
  return {
    recordFailure(error) {
      if (outage !== null) {
        outage.lastFailure = now()
        return
      }
      outage = { lastFailure: now(), requests: 0 }
      notify({ type: 'redis_down', error })
    },
    recordSuccess() {
      if (outage === null || now() - outage.lastFailure < recoveryMs) return
      const { requests } = outage
      outage = null
      notify({ type: 'redis_up', requests })
    },
    recordFallback() {
      if (outage !== null) outage.requests += 1
    },
    isDown: () => outage !== null,
  }
}
