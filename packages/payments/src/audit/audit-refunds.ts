import type { Hex, PaymentRecord, Refund, RefundTransfer } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import type { AuditFinding } from './audit-report.ts'
import { magnitude } from './position-distance.ts'

/** The state of a refund in its payment, by that of its transfer: one transaction changes both. */
const statusOf = {
  waiting: 'due',
  signed: 'due',
  submitted: 'submitted',
  confirmed: 'confirmed',
  final: 'confirmed',
  blocked: 'blocked',
  written_off: 'written_off',
} as const satisfies Record<RefundTransfer['status'], Refund['status']>

/**
 * Compares the refunds that payments have with the transfers that pay them: payee and state of each,
 * and the sum of each transfer.
 */
export function auditRefunds(
  payments: readonly PaymentRecord[],
  transfers: readonly RefundTransfer[],
): readonly AuditFinding[] {
  const known = new Map(transfers.map((transfer) => [transfer.nonce, transfer]))
  const owed = new Map<Hex, bigint>()
  const findings: AuditFinding[] = []
  for (const { id, authorization, refund } of payments) {
    if (refund === null || refund.nonce === null) continue
    const { nonce, amount, status, transaction } = refund
    owed.set(nonce, (owed.get(nonce) ?? 0n) + amount)
    const transfer = known.get(nonce)
    const isSame = transfer?.payer === authorization.from && statusOf[transfer.status] === status
    if (!isSame) {
      findings.push({ kind: 'refund_differs', amount, nonce, transaction, paymentId: id })
    }
  }
  for (const { nonce, transaction, ...transfer } of transfers) {
    const [paymentId = null] = transfer.payments
    const amount = atomicUsdc(magnitude(transfer.amount - (owed.get(nonce) ?? 0n)))
    if (amount !== 0n) {
      findings.push({ kind: 'refund_differs', amount, nonce, transaction, paymentId })
    }
  }
  return findings
}
