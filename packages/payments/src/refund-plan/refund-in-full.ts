import { isServable, type PaymentEvent, type PaymentRecord } from '@farebox/ledger'
import { atomicUsdc, type Usdc } from '@farebox/money'
import type { PaymentPorts } from '../policy/payment-ports.ts'
import { type Advance, advancePayment } from '../settlement/advance-payment.ts'
import { refundNonce } from './refund-nonce.ts'
import { planRefund } from './refund-plan.ts'

/**
 * Refunds in full a settled payment that will not be served. After a restored backup the refund may
 * already be on the chain; then the amount on the chain is booked, not the amount that would be
 * computed today. An unsolicited payment that the chain shows as partly refunded was served before
 * the backup was restored: it stays in suspense for review. A payment that changed since it was read
 * is left as it is: another replica may have begun to serve it.
 *
 * @throws {ChainError} when the node does not respond, and any error of the store.
 */
export async function refundInFull(
  ports: PaymentPorts,
  payment: PaymentRecord,
  reason: string,
): Promise<PaymentRecord> {
  const refunded = await refundOnChain(ports, payment)
  let advance = await endOnce(ports, payment, { reason, refunded })
  // A payment that was only settled is marked as served before it gets a cost.
  while (advance.status === 'applied' && isUnpriced(advance.payment)) {
    advance = await endOnce(ports, advance.payment, { reason, refunded })
  }
  if (advance.status === 'applied') {
    ports.notify({ type: 'payment_failed', payment: advance.payment, reason })
  }
  return advance.payment
}

/** Settled and not yet priced, whether or not it is being served. */
export function isUnpriced(payment: PaymentRecord): boolean {
  return payment.status === 'settled' || payment.status === 'serving'
}

/** What the chain holds under the nonce of the payment's refund; undefined when it is unused. */
export async function refundOnChain(
  { chain }: Pick<PaymentPorts, 'chain'>,
  { kind, authorization, settlement, intentBlock }: PaymentRecord,
): Promise<Usdc | undefined> {
  // The unused part of a channel's call stays in the channel.
  if (kind === 'channel_call') return undefined
  const use = await chain.authorizationUse({
    asset: authorization.asset,
    from: authorization.to,
    nonce: refundNonce(authorization),
    fromBlock: settlement?.block ?? intentBlock,
  })
  return use.status === 'transferred' && use.value <= authorization.value ? use.value : undefined
}

type Ending = { readonly reason: string; readonly refunded: Usdc | undefined }

async function endOnce(
  ports: PaymentPorts,
  payment: PaymentRecord,
  ending: Ending,
): Promise<Advance> {
  return await advancePayment(ports.store, payment, {
    eventFor: (current) =>
      current.version === payment.version && isUnpriced(current)
        ? endingEvent(ports, current, ending)
        : null,
  })
}

function endingEvent(
  ports: PaymentPorts,
  payment: PaymentRecord,
  { reason, refunded }: Ending,
): PaymentEvent | null {
  const at = ports.clock()
  const { authorization } = payment
  const transfer = { kind: 'transfer', nonce: refundNonce(authorization) } as const
  if (refunded === undefined) {
    const refund = planRefund(ports, payment, authorization.value)
    return { type: 'service_failed', reason, refund, at }
  }
  const cost = atomicUsdc(authorization.value - refunded)
  if (cost === 0n) return { type: 'service_failed', reason, refund: transfer, at }
  if (payment.status === 'serving') {
    return { type: 'service_completed', cost, usage: null, refund: transfer, at }
  }
  return isServable(payment) ? { type: 'service_started', at } : null
}
