import type { PaymentRecord } from '@farebox/ledger'
import { advancePayment } from '../settlement/advance-payment.ts'
import { confirmSettlement } from '../settlement/confirm-settlement.ts'
import { resolveSettlement } from '../settlement/resolve-settlement.ts'
import { settlePayment } from '../settlement/settle-payment.ts'
import { restorePayload } from '../wire/stored-payload.ts'
import type { NextCheck, RecoveryPorts } from './recovery-ports.ts'

/** Follows the settlement of a priced payment until it is final, and replaces it when it vanishes. */
export async function recoverFinality(
  ports: RecoveryPorts,
  payment: PaymentRecord,
): Promise<NextCheck> {
  const confirmed = await confirmSettlement(ports, payment, ports.confirmationsOf)
  if (confirmed.status === 'lost') return await recoverLost(ports, confirmed.payment)
  if (confirmed.confirmations < ports.policy.finalConfirmations) return 'wait'
  const at = ports.clock()
  await advancePayment(ports.store, confirmed.payment, {
    eventFor: (current) =>
      current.settlement === null || current.settlementFinal
        ? null
        : { type: 'settlement_final', at },
  })
  return 'release'
}

/** Served, and its settlement vanished: the same payload is sent again while it is valid. */
async function recoverLost(ports: RecoveryPorts, payment: PaymentRecord): Promise<NextCheck> {
  if (payment.settlement !== null || (await isResolved(ports, payment))) return 'release'
  const signed = restorePayload(payment)
  const isValid = payment.authorization.validBefore * 1000 > ports.clock()
  if (signed !== undefined && isValid) await settlePayment(ports, payment, signed)
  return 'wait'
}

/** Whether the vanished settlement was found again, or is lost for good. */
async function isResolved(ports: RecoveryPorts, payment: PaymentRecord): Promise<boolean> {
  const { payment: current } = await resolveSettlement(ports, payment)
  return current.settlement !== null || current.payload === null
}
