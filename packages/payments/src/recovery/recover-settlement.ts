import type { PaymentRecord } from '@farebox/ledger'
import { advancePayment } from '../settlement/advance-payment.ts'
import { resolveSettlement } from '../settlement/resolve-settlement.ts'
import { recoverUnserved } from './recover-unserved.ts'
import type { NextCheck, RecoveryPorts } from './recovery-ports.ts'

/** The replica that was settling it is gone. Only the chain knows; nothing is sent without the client. */
export async function recoverSettlement(
  ports: RecoveryPorts,
  payment: PaymentRecord,
): Promise<NextCheck> {
  const { payment: resolved } = await resolveSettlement(ports, payment)
  if (resolved.status === 'settled') return await recoverUnserved(ports, resolved)
  if (resolved.status === 'settling') await markUnknown(ports, resolved)
  return 'release'
}

async function markUnknown(ports: RecoveryPorts, payment: PaymentRecord): Promise<void> {
  const at = ports.clock()
  const reason = 'settlement_interrupted'
  const advance = await advancePayment(ports.store, payment, {
    eventFor: (current) =>
      current.version === payment.version
        ? { type: 'settlement_unknown', reason, hint: null, at }
        : null,
  })
  if (advance.status === 'applied') {
    ports.notify({ type: 'payment_unknown', payment: advance.payment, reason })
  }
}
