import type { PaymentRecord } from './payment-record.ts'

/**
 * Whether recovery has to work on a payment: its settlement is open or not final yet, it was not
 * served, or its service was interrupted. Refunds have their own queue.
 */
export function isUnfinished(record: PaymentRecord): boolean {
  switch (record.status) {
    case 'settling':
    case 'unknown':
    case 'settled':
    case 'serving':
    case 'rejected':
      return true
    case 'void':
      return false
    case 'completed':
    case 'failed':
      return record.settlement === null ? record.payload !== null : !record.settlementFinal
  }
}
