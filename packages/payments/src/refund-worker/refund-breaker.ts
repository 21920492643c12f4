import type { Observer, SystemObstacle } from '../events/payment-events.ts'

/**
 * Pauses all refunds while an obstacle on our side blocks all of them, and tries one after each
 * pause.
 */
export type RefundBreaker = {
  /** Whether a refund may be tried. While open: one after each pause. */
  admits(): boolean
  trip(reason: SystemObstacle): void
  /** A refund went through. */
  close(): void
  state(): { readonly reason: SystemObstacle; readonly since: number } | null
}

export function createRefundBreaker(options: {
  readonly clock: () => number
  readonly pauseMs: number
  readonly notify: Observer
}): RefundBreaker {
  const { clock, pauseMs, notify } = options
  let open: { readonly reason: SystemObstacle; readonly since: number } | null = null
  let nextTryAt = 0

  return {
    admits() {
      if (open === null) return true
      const now = clock()
      if (now < nextTryAt) return false
      nextTryAt = now + pauseMs
      return true
    },
    trip(reason) {
      const now = clock()
      nextTryAt = now + pauseMs
      if (open?.reason === reason) return
      open = { reason, since: open?.since ?? now }
      notify({ type: 'refunds_paused', reason })
    },
    close() {
      if (open === null) return
      const { reason } = open
      open = null
      notify({ type: 'refunds_resumed', reason })
    },
    state: () => open,
  }
}
