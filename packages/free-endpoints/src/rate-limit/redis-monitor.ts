/** News of the store that replicas share: once when it is lost, once when it is back. */
export type RedisNotice =
  | { readonly type: 'redis_down'; readonly error: unknown }
  /** `requests` were counted by this process alone meanwhile. */
  | { readonly type: 'redis_up'; readonly requests: number }

export type RedisWatch = {
  failed(error: unknown): void
  answered(): void
  /** A request was counted without it. */
  didWithout(): void
}

export type RedisWatchOptions = {
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number
  readonly notify: (notice: RedisNotice) => void
}

/** An outage is over when nothing has failed for so long; a store that flaps is told of once. */
const calmMs = 5_000

/** Turns what happens to each request into news of the outage as a whole. */
export function createRedisWatch({ now, notify }: RedisWatchOptions): RedisWatch {
  let outage: { lastFailure: number; requests: number } | null = null
  return {
    failed(error) {
      if (outage !== null) {
        outage.lastFailure = now()
        return
      }
      outage = { lastFailure: now(), requests: 0 }
      notify({ type: 'redis_down', error })
    },
    answered() {
      if (outage === null || now() - outage.lastFailure < calmMs) return
      const { requests } = outage
      outage = null
      notify({ type: 'redis_up', requests })
    },
    didWithout() {
      if (outage !== null) outage.requests += 1
    },
  }
}
