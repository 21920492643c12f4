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

/** A rejected payment whose authorization should be over by now is checked this much more rarely. */
const rareness = 20

/**
 * A rejected authorization can still be executed by any party that has it, until it expires. Rejections
 * cost the payer nothing, so they are checked once when they are found and once after that: whatever
 * happened in between is found then, and any number of them causes no calls meanwhile.
 */
export async function recoverRejected(
  ports: RecoveryPorts,
  payment: PaymentRecord,
): Promise<NextCheck> {
  const { payment: resolved } = await resolveSettlement(ports, payment)
  if (resolved.status === 'settled') return await recoverUnserved(ports, resolved)
  const { clock, policy } = ports
  const now = clock()
  const expiresAt = (resolved.authorization.validBefore + policy.voidMarginSeconds + 1) * 1000
  return { notBefore: expiresAt > now ? expiresAt : now + rareness * policy.watchMs }
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
