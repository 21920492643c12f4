export type {
  AuthorizationUse,
  Block,
  ChainReader,
  ChainTransfer,
  RefundObstacle,
  RefundSender,
  RefundSendOutcome,
  RefundSigner,
  SignedRefund,
} from './chain.ts'
export type { Facilitator, SettleOutcome } from './facilitator.ts'
export type {
  Admission,
  AdmissionRequest,
  Offer,
  PaymentGate,
  PaymentHeaders,
  ResponseHeaders,
  ServedOutcome,
} from './payment-gate.ts'
export type { SignedPayment } from './signed-payment.ts'
