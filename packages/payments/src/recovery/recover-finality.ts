import type { PaymentRecord } from '@farebox/ledger'
import { confirmationWait } from '../policy/confirmation-wait.ts'
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
  const missing = ports.policy.finalConfirmations - confirmed.confirmations
  if (missing > 0) return { inMs: untilNextLook(ports, payment, missing) }
  const at = ports.clock()
  await advancePayment(ports.store, confirmed.payment, {
    eventFor: (current) =>
      current.settlement === null || current.settlementFinal
        ? null
        : { type: 'settlement_final', at },
  })
  return 'ended'
}

/**
 * One check is before the authorization expires: until then, a vanished settlement can be replaced.
 */
function untilNextLook(
  { clock, policy }: RecoveryPorts,
  { authorization }: PaymentRecord,
  missing: number,
): number {
  const { watchMs, resendMs } = policy
  const wait = confirmationWait(policy, { missing, minMs: watchMs })
  const lastChance = authorization.validBefore * 1000 - resendMs - clock()
  return lastChance < watchMs ? wait : Math.min(wait, lastChance)
}

/**
 * Served, and its settlement vanished: the same payload is sent again while the chain takes it. The
 * chain's clock decides: it is behind ours after an outage.
 */
async function recoverLost(ports: RecoveryPorts, payment: PaymentRecord): Promise<NextCheck> {
  if (payment.settlement !== null) return 'release'
  const { payment: current, verdict } = await resolveSettlement(ports, payment)
  // Found again, or lost for good.
  if (current.settlement !== null || current.payload === null) return 'release'
  const signed = restorePayload(payment)
  const { validBefore } = payment.authorization
  const isValid = verdict.status === 'open' && validBefore > verdict.chainTime
  if (signed !== undefined && isValid) await settlePayment(ports, payment, signed)
  return { inMs: ports.policy.watchMs }
}
