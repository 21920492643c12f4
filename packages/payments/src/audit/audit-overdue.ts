import type { PaymentRecord, RefundTransfer } from '@farebox/ledger'
import type { AuditFinding } from './audit-report.ts'

const dayMs = 86_400_000

/** Whether nothing has happened for a day to what a running process completes within minutes. */
function isOverdue({ updatedAt }: { readonly updatedAt: number }, now: number): boolean {
  return now - updatedAt > dayMs
}

export type OverdueLimits = {
  /** Milliseconds since 1970. */
  readonly now: number
  /** How long a small refund may wait for others. */
  readonly maxRefundDelayMs: number
}

/**
 * A payment that is not decided, or was paid and neither ended nor refunded, or whose small refund
 * was combined with no others in time.
 */
export function overduePayment(
  payment: PaymentRecord,
  { now, maxRefundDelayMs }: OverdueLimits,
): readonly AuditFinding[] {
  const { id, status, authorization, refund, settlement } = payment
  const { value, nonce } = authorization
  const overdue = { kind: 'overdue', paymentId: id, nonce } as const
  const transaction = settlement?.transaction ?? null
  if (refund?.status === 'accruing') {
    const isLate = isOverdue(payment, now - maxRefundDelayMs)
    return isLate ? [{ ...overdue, amount: refund.amount, transaction }] : []
  }
  const isOpen = ['settling', 'unknown', 'settled', 'serving'].includes(status)
  return isOpen && isOverdue(payment, now) ? [{ ...overdue, amount: value, transaction }] : []
}

/** A refund that is owed, not blocked, and not sent. */
export function overdueRefund(transfer: RefundTransfer, now: number): readonly AuditFinding[] {
  const { status, amount, nonce, transaction, payments } = transfer
  const isOpen = ['waiting', 'signed', 'submitted'].includes(status)
  if (!isOpen || !isOverdue(transfer, now)) return []
  return [{ kind: 'overdue', amount, paymentId: payments[0] ?? null, nonce, transaction }]
}
