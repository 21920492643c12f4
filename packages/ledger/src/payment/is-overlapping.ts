import type { PaymentRecord } from './payment-record.ts'

/** The `reason` of an undecided payment whose service started before its proof. */
export const overlapReason = 'service_ahead'

/** Whether a service of a payment started before its proof, so that nothing else may serve it. */
export function isOverlapping({ reason }: Pick<PaymentRecord, 'reason'>): boolean {
  return reason === overlapReason
}
