import type { PaymentRecord } from './payment-record.ts'

/** The `reason` of an undecided payment whose service started before its proof. */
export const servedAhead = 'service_ahead'

/** Whether a service of a payment started before its proof, so that nothing else may serve it. */
export function isServedAhead({ reason }: Pick<PaymentRecord, 'reason'>): boolean {
  return reason === servedAhead
}
