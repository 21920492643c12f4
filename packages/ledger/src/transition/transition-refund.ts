import type { PaymentEvent } from '../payment/payment-event.ts'
import type { Refund, RefundStatus } from '../payment/payment-record.ts'

/** The events of a payment's refund. */
export type RefundEvent = Extract<PaymentEvent, { type: `refund_${string}` }>

/**
 * A refund after an event, or null if the event is not allowed. The amount never changes. A
 * confirmation on the chain is accepted in every state that has a transfer.
 */
export function transitionRefund(refund: Refund, event: RefundEvent): Refund | null {
  const from = (...allowed: readonly RefundStatus[]): boolean => allowed.includes(refund.status)
  switch (event.type) {
    case 'refund_assigned':
      return from('accruing') ? { ...refund, status: 'due', nonce: event.nonce } : null
    case 'refund_submitted':
      return from('due', 'submitted')
        ? { ...refund, status: 'submitted', transaction: event.transaction }
        : null
    case 'refund_confirmed':
      return from('accruing', 'released')
        ? null
        : { ...refund, status: 'confirmed', transaction: event.proof.transaction }
    case 'refund_lost':
      return from('submitted', 'confirmed') ? { ...refund, status: 'due', transaction: null } : null
    case 'refund_blocked':
      return from('due', 'submitted') ? { ...refund, status: 'blocked' } : null
    case 'refund_unblocked':
      return from('blocked', 'written_off') && refund.nonce !== null
        ? { ...refund, status: 'due', transaction: null }
        : null
    case 'refund_written_off':
      return from('blocked') ? { ...refund, status: 'written_off' } : null
  }
}
