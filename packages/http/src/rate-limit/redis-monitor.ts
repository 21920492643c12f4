import { createReasonFilter } from '../log/reason-filter.ts'

export type RedisNotice =
  /** Once for each reason of an outage. */
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

type Outage = { lastFailure: number; requests: number; readonly isNew: (reason: string) => boolean }

/** An outage ends after this long without a failure: a store that flaps is reported once. */
const recoveryMs = 5_000

/** Reports each reason and the end of an outage once, from the outcomes of single requests. */
export function createRedisMonitor({ now, notify }: RedisMonitorOptions): RedisMonitor {
  let outage: Outage | null = null
  return {
    recordFailure(error) {
      outage ??= { lastFailure: 0, requests: 0, isNew: createReasonFilter() }
      outage.lastFailure = now()
      const reason = error instanceof Error ? error.message : String(error)
      if (outage.isNew(reason)) notify({ type: 'redis_down', error })
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
