import type { PaymentRecord } from '@farebox/ledger'
import { confirmationWait } from '../policy/confirmation-wait.ts'
import { endUnserved } from '../refund-plan/end-unserved.ts'
import { refundInFull } from '../refund-plan/refund-in-full.ts'
import { confirmSettlement } from '../settlement/confirm-settlement.ts'
import type { NextCheck, RecoveryPorts } from './recovery-ports.ts'

/** A settled payment waits for its client to resume it, unless it may not be served at all. */
export async function recoverUnserved(
  ports: RecoveryPorts,
  payment: PaymentRecord,
): Promise<NextCheck> {
  if (payment.reason !== null) return await returnUnsolicited(ports, payment)
  if (ports.clock() - payment.updatedAt >= ports.policy.resumeMs) {
    await endUnserved(ports, payment)
  }
  return 'release'
}

/**
 * The lease has expired: the replica that served the payment has stopped, and no other may serve it
 * again.
 */
export async function recoverInterrupted(
  ports: RecoveryPorts,
  payment: PaymentRecord,
): Promise<NextCheck> {
  await refundInFull(ports, payment, 'service_interrupted')
  return 'release'
}

/**
 * No client waits for this money, and nothing could send it again if it vanished: it is refunded
 * once its transfer is final.
 */
async function returnUnsolicited(ports: RecoveryPorts, payment: PaymentRecord): Promise<NextCheck> {
  const { finalConfirmations, unsolicitedConfirmations, watchMs: minMs } = ports.policy
  const confirmed = await confirmSettlement(ports, payment, ports.confirmationsOf)
  if (confirmed.status === 'lost') return 'release'
  const missing = (unsolicitedConfirmations ?? finalConfirmations) - confirmed.confirmations
  if (missing > 0) return { inMs: confirmationWait(ports.policy, { missing, minMs }) }
  const reason = confirmed.payment.reason ?? 'unsolicited_transfer'
  const ended = await refundInFull(ports, confirmed.payment, reason)
  return ended.status === 'settled' ? { inMs: minMs } : 'release'
}
