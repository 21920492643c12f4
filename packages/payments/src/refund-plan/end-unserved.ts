import { isServable, type PaymentEvent, type PaymentRecord, reconcile } from '@farebox/ledger'
import type { PaymentPorts } from '../policy/payment-ports.ts'
import { type Advance, advancePayment } from '../settlement/advance-payment.ts'
import { refundInFull, refundOnChain } from './refund-in-full.ts'
import { planRefund } from './refund-plan.ts'

/**
 * Ends a settled payment that was not resumed in time. It is refunded in full, unless its client
 * disconnected before the service began: then `abandonCharge` is kept.
 *
 * @throws {ChainError} when the node does not respond, and any error of the store.
 */
export async function endUnserved(
  ports: PaymentPorts,
  payment: PaymentRecord,
): Promise<PaymentRecord> {
  const faults = await ports.store.payerFaultsOf(payment.id)
  const hasLeft = faults.some(({ cause }) => cause === 'client_left')
  const isCharged = hasLeft && ports.policy.abandonCharge > 0n && isServable(payment)
  // After a restored backup the refund on the chain decides what was kept.
  return isCharged && (await refundOnChain(ports, payment)) === undefined
    ? await chargeAbandoned(ports, payment)
    : await refundInFull(ports, payment, 'not_resumed')
}

/** Two writes: after a crash between them, recovery refunds in full. */
async function chargeAbandoned(
  ports: PaymentPorts,
  payment: PaymentRecord,
): Promise<PaymentRecord> {
  const { policy, clock, notify } = ports
  const at = clock()
  const begun = await advanceFrom(ports, payment, { type: 'service_started', at })
  if (begun.status === 'superseded') return begun.payment
  const { cost, refund: rest } = reconcile(payment.authorization.value, policy.abandonCharge)
  const refund = planRefund(ports, payment, rest)
  const charged = { type: 'service_completed', cost, usage: null, refund, at } as const
  const ended = await advanceFrom(ports, begun.payment, charged)
  if (ended.status === 'applied') notify({ type: 'payment_completed', payment: ended.payment })
  return ended.payment
}

/** Applies an event to this version alone: a client that returns at this moment is served. */
function advanceFrom(
  { store }: PaymentPorts,
  payment: PaymentRecord,
  event: PaymentEvent,
): Promise<Advance> {
  return advancePayment(store, payment, {
    eventFor: ({ version }) => (version === payment.version ? event : null),
  })
}
