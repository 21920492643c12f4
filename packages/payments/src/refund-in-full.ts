import type { LedgerStore, PaymentEvent, PaymentRecord } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import { advancePayment } from './advance-payment.ts'
import type { ChainReader } from './chain.ts'
import type { Observer } from './payment-events.ts'
import type { RefundMinimum } from './refund-minimum.ts'
import { refundNonce } from './refund-nonce.ts'
import { planRefund } from './refund-plan.ts'

export type RefundInFullPorts = {
  readonly store: Pick<LedgerStore, 'apply'>
  readonly chain: Pick<ChainReader, 'authorizationUse'>
  readonly refundMinimum: RefundMinimum
  readonly clock: () => number
  readonly notify: Observer
}

/**
 * Ends a payment that was settled and that nobody serves any more: everything goes back. After a
 * restored backup the chain may hold the payment's refund already; then what the chain says is
 * booked, not what we would compute today.
 *
 * @throws {ChainError} when the node does not answer, and whatever the store throws.
 */
export async function refundInFull(
  ports: RefundInFullPorts,
  payment: PaymentRecord,
  reason: string,
): Promise<PaymentRecord> {
  const event = await endingEvent(ports, payment, reason)
  const advance = await advancePayment(ports.store, payment, {
    eventFor: (current) => (isUnended(current) ? event : null),
  })
  if (advance.status === 'applied') {
    ports.notify({ type: 'payment_failed', payment: advance.payment, reason })
  }
  return advance.payment
}

/** Settled and not yet priced: served by somebody, or by nobody. */
export function isUnended(payment: PaymentRecord): boolean {
  return payment.status === 'settled' || payment.status === 'serving'
}

async function endingEvent(
  { chain, refundMinimum, clock }: RefundInFullPorts,
  payment: PaymentRecord,
  reason: string,
): Promise<PaymentEvent> {
  const { authorization, settlement } = payment
  const at = clock()
  const nonce = refundNonce(authorization)
  const use = await chain.authorizationUse({
    asset: authorization.asset,
    from: authorization.to,
    nonce,
    fromBlock: settlement?.block ?? payment.intentBlock,
  })
  if (use.status !== 'transferred' || use.value > authorization.value) {
    const refund = planRefund(payment, authorization.value, refundMinimum.current())
    return { type: 'service_failed', reason, refund, at }
  }
  const refund = { kind: 'transfer', nonce } as const
  const cost = atomicUsdc(authorization.value - use.value)
  return cost === 0n
    ? { type: 'service_failed', reason, refund, at }
    : { type: 'service_completed', cost, usage: null, refund, at }
}
