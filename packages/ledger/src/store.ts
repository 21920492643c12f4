export { maxBatchedPayments } from './refund/refund-transfer.ts'
export { type AuthorizationKey, canonicalKey, claimedRecord } from './store/claim-payment.ts'
export {
  batchRefunds,
  changePayment,
  changeRefundTransfer,
  entriesFor,
  isAccruing,
  type PaymentChange,
  type RefundTransferChange,
} from './transition/payment-change.ts'
export { transition } from './transition/transition.ts'
export { transitionRefundTransfer } from './transition/transition-refund-transfer.ts'
