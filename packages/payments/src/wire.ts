export {
  type CheckedPayment,
  type CheckPayment,
  type CheckRejection,
  createPaymentCheck,
  type PaymentCheck,
  type PaymentCheckOptions,
} from './signature/check-payment.ts'
export { signatureBackend } from './signature/recover-signer.ts'
export {
  type DecodeContext,
  type DecodedPayment,
  decodePayment,
  type MismatchReason,
} from './wire/decode-payment.ts'
export {
  type PaymentRequired,
  PaymentRequiredError,
  type PaymentRequiredOptions,
  paymentRequired,
} from './wire/payment-required.ts'
export {
  type PaymentRequirements,
  type PaymentTerms,
  paymentRequirements,
  type ResourceInfo,
} from './wire/payment-requirements.ts'
export { claimedHeaders, type Receipt, receiptHeaders } from './wire/receipt-headers.ts'
export type { SignedPayment } from './wire/signed-payment.ts'
