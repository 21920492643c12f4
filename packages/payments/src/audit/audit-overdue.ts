import type { PaymentRecord, RefundTransfer } from '@farebox/ledger'
import type { AuditFinding } from './audit-report.ts'

const dayMs = 86_400_000

/** Whether nothing has happened for a day to what a running process completes within minutes. */
function isOverdue({ updatedAt }: { readonly updatedAt: number }, now: number): boolean {
  return now - updatedAt > dayMs
}

/** A payment that is not decided, or was paid and neither ended nor refunded. */
export function overduePayment(payment: PaymentRecord, now: number): readonly AuditFinding[] {
  const { id, status, authorization, settlement } = payment
  const isOpen = ['settling', 'unknown', 'settled', 'serving'].includes(status)
  if (!isOpen || !isOverdue(payment, now)) return []
  const { value: amount, nonce } = authorization
  const transaction = settlement?.transaction ?? null
  return [{ kind: 'overdue', amount, paymentId: id, nonce, transaction }]
}

/** A refund that is owed, not blocked, and not sent. */
export function overdueRefund(transfer: RefundTransfer, now: number): readonly AuditFinding[] {
  const { status, amount, nonce, transaction, payments } = transfer
  const isOpen = ['waiting', 'signed', 'submitted'].includes(status)
  if (!isOpen || !isOverdue(transfer, now)) return []
  return [{ kind: 'overdue', amount, paymentId: payments[0] ?? null, nonce, transaction }]
}
