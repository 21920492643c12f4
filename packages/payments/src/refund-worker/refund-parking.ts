import type { RefundTransfer } from '@farebox/ledger'
import { advanceRefund, postponeRefund, type RefundPorts } from './refund-ports.ts'

const firstPauseMs = 15_000
const longestPauseMs = 24 * 3_600_000
/** An obstacle that passes within this time is not shown to anybody. */
const patienceMs = 20_000
const systemPauseMs = 10_000
/** From then on its operator is reminded of a refund that stays blocked. */
const overdueMs = 7 * 24 * 3_600_000

/**
 * Sets one refund aside that cannot be delivered, and looks again after longer and longer.
 * `found` is the refund transfer as this look found it.
 */
export async function blockRefund(
  ports: RefundPorts,
  refundTransfer: RefundTransfer,
  { reason, found }: { readonly reason: string; readonly found: RefundTransfer },
): Promise<void> {
  const at = ports.clock()
  const isSame = found.status === 'blocked' && found.reason === reason
  const lastPause = isSame ? found.nextAttemptAt - found.updatedAt : 0
  const pause = Math.min(Math.max(lastPause * 2, firstPauseMs), longestPauseMs)
  const blocked = await advanceRefund(ports, refundTransfer, {
    type: 'blocked',
    reason,
    nextAttemptAt: at + pause,
    at,
  })
  if (blocked === undefined) return
  if (!isSame) ports.notify({ type: 'refund_blocked', refundTransfer: blocked, reason })
  if (at - refundTransfer.createdAt >= overdueMs) {
    ports.notify({ type: 'refund_overdue', refundTransfer: blocked, reason })
  }
}

/**
 * Sets a refund aside that is not at fault: something stands in the way of all. It is shown as
 * blocked when that lasts, and is tried again soon after it is over.
 */
export async function parkRefund(
  ports: RefundPorts,
  refundTransfer: RefundTransfer,
): Promise<void> {
  const open = ports.breaker.state()
  const isLasting = open !== null && ports.clock() - open.since >= patienceMs
  if (refundTransfer.status === 'blocked' && refundTransfer.reason !== null) {
    await parkAlone(ports, refundTransfer, refundTransfer.reason)
  } else if (open !== null && isLasting) {
    await parkAlone(ports, refundTransfer, open.reason)
  } else {
    await postponeRefund(ports, refundTransfer, systemPauseMs / 2)
  }
}

/** Shows a refund as blocked that only lacks something of ours, and tries it again soon. */
export async function parkAlone(
  ports: RefundPorts,
  refundTransfer: RefundTransfer,
  reason: string,
): Promise<void> {
  const at = ports.clock()
  const nextAttemptAt = at + systemPauseMs
  const blocked = await advanceRefund(ports, refundTransfer, {
    type: 'blocked',
    reason,
    nextAttemptAt,
    at,
  })
  if (blocked !== undefined && refundTransfer.status !== 'blocked') {
    ports.notify({ type: 'refund_blocked', refundTransfer: blocked, reason })
  }
}
