import type { SignedPayment } from '../wire/signed-payment.ts'

/**
 * A client's own name for a payment, made its own: two payers who choose the same name do not meet.
 */
export function clientPaymentKey({ authorization, clientPaymentId }: SignedPayment): string | null {
  return clientPaymentId === null ? null : `${authorization.from}:${clientPaymentId}`
}
