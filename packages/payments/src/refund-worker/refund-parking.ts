import type { Payout } from '@farebox/ledger'
import { advancePayout, postponePayout, type RefundPorts } from './refund-ports.ts'

const firstPauseMs = 15_000
const longestPauseMs = 24 * 3_600_000
/** An obstacle that passes within this time is not shown to anybody. */
const patienceMs = 20_000
const systemPauseMs = 10_000
/** From then on its operator is reminded of a refund that stays blocked. */
const overdueMs = 7 * 24 * 3_600_000

/**
 * Sets one refund aside that cannot be delivered, and looks again after longer and longer.
 * `found` is the payout as this look found it.
 */
export async function blockPayout(
  ports: RefundPorts,
  payout: Payout,
  { reason, found }: { readonly reason: string; readonly found: Payout },
): Promise<void> {
  const at = ports.clock()
  const isSame = found.status === 'blocked' && found.reason === reason
  const lastPause = isSame ? found.nextAttemptAt - found.updatedAt : 0
  const pause = Math.min(Math.max(lastPause * 2, firstPauseMs), longestPauseMs)
  const blocked = await advancePayout(ports, payout, {
    type: 'blocked',
    reason,
    nextAttemptAt: at + pause,
    at,
  })
  if (blocked === undefined) return
  if (!isSame) ports.notify({ type: 'refund_blocked', payout: blocked, reason })
  if (at - payout.createdAt >= overdueMs) {
    ports.notify({ type: 'refund_overdue', payout: blocked, reason })
  }
}

/**
 * Sets a refund aside that is not at fault: something stands in the way of all. It is shown as
 * blocked when that lasts, and is tried again soon after it is over.
 */
export async function parkPayout(ports: RefundPorts, payout: Payout): Promise<void> {
  const open = ports.breaker.state()
  const isLasting = open !== null && ports.clock() - open.since >= patienceMs
  if (payout.status === 'blocked' && payout.reason !== null) {
    await parkAlone(ports, payout, payout.reason)
  } else if (open !== null && isLasting) {
    await parkAlone(ports, payout, open.reason)
  } else {
    await postponePayout(ports, payout, systemPauseMs / 2)
  }
}

/** Shows a refund as blocked that only lacks something of ours, and tries it again soon. */
export async function parkAlone(ports: RefundPorts, payout: Payout, reason: string): Promise<void> {
  const at = ports.clock()
  const nextAttemptAt = at + systemPauseMs
  const blocked = await advancePayout(ports, payout, { type: 'blocked', reason, nextAttemptAt, at })
  if (blocked !== undefined && payout.status !== 'blocked') {
    ports.notify({ type: 'refund_blocked', payout: blocked, reason })
  }
}
