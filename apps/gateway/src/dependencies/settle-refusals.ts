import type { Observer } from '@farebox/payments'
import type { DependencyCheck } from './dependency-monitor.ts'

/** Whether a remote facilitator rejects our key when it settles, although it lists what it settles. */
export type SettleRefusals = {
  readonly observe: Observer
  check(): DependencyCheck
}

/** A 403 may be about the payer: facilitators screen wallets, and no payer may stop the sales. */
const rejectsKey = 'facilitator_http_401'
const repeated = 2
/** The next payment shows whether the key is still rejected. */
const pauseMs = 60_000

export function createSettleRefusals(now: () => number): SettleRefusals {
  let inRow = 0
  let until = 0
  return {
    observe: (notice) => {
      if (notice.type === 'payment_settled') inRow = 0
      if (notice.type !== 'payment_unknown' || notice.reason !== rejectsKey) return
      inRow += 1
      until = now() + pauseMs
    },
    check: () =>
      inRow >= repeated && now() < until
        ? { status: 'unavailable', reason: 'it rejects the key when it settles (HTTP 401)' }
        : { status: 'ok' },
  }
}
