import type { PaymentRecord } from '@farebox/ledger'
import { advancePayment } from '../settlement/advance-payment.ts'
import { resolveSettlement } from '../settlement/resolve-settlement.ts'
import { resubmitPayment } from '../settlement/resubmit-payment.ts'
import { minValiditySeconds } from '../signature/check-payment.ts'
import { restorePayload } from '../wire/stored-payload.ts'
import { recoverUnserved } from './recover-unserved.ts'
import type { NextCheck, RecoveryPorts } from './recovery-ports.ts'

/**
 * The replica that was settling the payment has stopped, and only the chain shows the outcome. A
 * sale is not sent again without its client, since it could only be refunded.
 */
export async function recoverSettlement(
  ports: RecoveryPorts,
  payment: PaymentRecord,
): Promise<NextCheck> {
  const { payment: resolved, verdict } = await resolveSettlement(ports, payment)
  if (resolved.status === 'settled') return await recoverUnserved(ports, resolved)
  if (resolved.status === 'settling') await markUnknown(ports, resolved)
  else if (verdict.status === 'open') await resendDeposit(ports, resolved, verdict.chainTime)
  return 'release'
}

const interrupted = 'settlement_interrupted'

/**
 * Sends an interrupted deposit again, once. Until it is decided its channel takes no other, and
 * what it brings belongs to its payer. If code decides about its signature, it waits for its
 * client.
 */
async function resendDeposit(
  ports: RecoveryPorts,
  payment: PaymentRecord,
  chainTime: number,
): Promise<void> {
  const { kind, status, reason, authorization } = payment
  if (kind !== 'channel_deposit' || status !== 'unknown' || reason !== interrupted) return
  const signed = restorePayload(payment)
  const time = Math.max(chainTime, Math.floor(ports.clock() / 1000))
  if (signed === undefined || authorization.validBefore < time + minValiditySeconds) return
  if ((await ports.chain.codeOf(authorization.from)) !== null) return
  await resubmitPayment(ports, { payment, signed })
}

async function markUnknown(ports: RecoveryPorts, payment: PaymentRecord): Promise<void> {
  const at = ports.clock()
  const reason = interrupted
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
