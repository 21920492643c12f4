import type { SignedPayment } from './signed-payment.ts'

/**
 * A client's own id for a payment, scoped to its payer: two payers may choose the same id.
 */
export function clientPaymentKey({ authorization, clientPaymentId }: SignedPayment): string | null {
  return clientPaymentId === null ? null : `${authorization.from}:${clientPaymentId}`
}
