import type { Clock } from '../transport/clock.ts'

/** When a breaker opens, and for how long. */
export type BreakerOptions = {
  readonly clock?: Clock
  /** Failures in a row that open it. */
  readonly threshold?: number
  /** How long it stays open first, in milliseconds; each further failure doubles it. */
  readonly firstPauseMs?: number
  /** The longest that it stays open, in milliseconds. */
  readonly maxPauseMs?: number
}

/** Whether calls are likely to succeed. */
export type Breaker = {
  readonly state: 'closed' | 'open' | 'probing'
  /**
   * Whether a call may be sold now. After a pause it is true until a call has begun, and then again
   * after the next pause if the outcome of that call is still unknown. Reading it changes nothing.
   */
  available(): boolean
  /** Records the start of a call. After a pause it is the probe. */
  began(): void
  succeeded(): void
  failed(): void
  /** Records a failure that is unlikely to pass: opens at once. */
  tripped(): void
}

const defaults = { threshold: 5, firstPauseMs: 5_000, maxPauseMs: 60_000 }

/** A circuit breaker. It sets no timers: it reads the clock. */
export function createBreaker(options: BreakerOptions = {}): Breaker {
  const clock = options.clock ?? Date.now
  const { threshold, firstPauseMs, maxPauseMs } = { ...defaults, ...options }
  let failures = 0
  let pause = 0
  let openUntil = 0

  function open(): void {
    pause = pause === 0 ? firstPauseMs : Math.min(pause * 2, maxPauseMs)
    openUntil = clock() + pause
  }

  function state(): Breaker['state'] {
    if (pause === 0) return 'closed'
    return clock() < openUntil ? 'open' : 'probing'
  }

  return {
    get state() {
      return state()
    },
    available: () => state() !== 'open',
    began() {
      if (state() === 'probing') openUntil = clock() + pause
    },
    succeeded() {
      failures = 0
      pause = 0
    },
    failed() {
      failures += 1
      if (pause > 0 || failures >= threshold) open()
    },
    tripped: open,
  }
}
