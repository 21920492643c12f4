import type { PaymentRecord } from '../payment/payment-record.ts'
import type { ChannelPaymentEvent } from './channel-event.ts'

/**
 * The effect of a payment's event on its channel, from the payment before and after it: a proven or
 * lost deposit, or the end of a call. Null if it has none.
 */
export function channelEventOf(
  before: PaymentRecord,
  after: PaymentRecord,
  at: number,
): ChannelPaymentEvent | null {
  switch (after.kind) {
    case 'sale':
      return null
    case 'channel_deposit':
      return depositEvent(before, after, at)
    case 'channel_call':
      return callEvent(before, after, at)
  }
}

/** Whether a call ended without a cost, so that its voucher can pay for another. */
export function freesVoucher({ kind, cost }: PaymentRecord): boolean {
  return kind === 'channel_call' && cost === 0n
}

function depositEvent(
  before: PaymentRecord,
  after: PaymentRecord,
  at: number,
): ChannelPaymentEvent | null {
  const amount = after.authorization.value
  const was = before.settlement !== null
  const is = after.settlement !== null
  if (was === is) return null
  return { type: is ? 'deposit_proven' : 'deposit_lost', amount, at }
}

function callEvent(
  before: PaymentRecord,
  { status, cost, authorization }: PaymentRecord,
  at: number,
): ChannelPaymentEvent | null {
  if (before.status !== 'serving' || cost === null) return null
  const ceiling = authorization.value
  return status === 'failed'
    ? { type: 'released', ceiling, at }
    : { type: 'charged', ceiling, cost, at }
}
