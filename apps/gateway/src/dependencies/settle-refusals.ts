import type { Observer } from '@farebox/payments'
import type { DependencyCheck } from './dependency-monitor.ts'

/** Whether a remote facilitator refuses to settle for us, although it lists what it settles. */
export type SettleRefusals = {
  readonly observe: Observer
  check(): DependencyCheck
}

/** One 403 may concern its payment alone. */
const repeated = 2
/** A payment that is sold after this time, or one that recovery sends again, shows whether it still does. */
const pauseMs = 60_000

export function createSettleRefusals(now: () => number): SettleRefusals {
  let inRow = 0
  let until = 0
  let reason = ''
  return {
    observe: (notice) => {
      if (notice.type === 'payment_settled') inRow = 0
      if (notice.type !== 'payment_unknown') return
      const status = /^facilitator_http_(401|403)$/.exec(notice.reason)?.[1]
      if (status === undefined) return
      inRow += 1
      until = now() + pauseMs
      reason = `it refuses to settle for us (HTTP ${status}): its key is wrong or may not settle`
    },
    check: () =>
      inRow >= repeated && now() < until ? { status: 'unavailable', reason } : { status: 'ok' },
  }
}
