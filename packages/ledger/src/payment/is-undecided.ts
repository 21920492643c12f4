import type { PaymentRecord } from './payment-record.ts'

/** Whether a payment is undecided: its settlement was, or may have been, sent. */
export function isUndecided({ status }: Pick<PaymentRecord, 'status'>): boolean {
  return status === 'settling' || status === 'unknown'
}
