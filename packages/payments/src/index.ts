export { type AuditOptions, audit } from './audit.ts'
export type {
  AuditFinding,
  AuditReport,
  ExplainedKind,
  UnexplainedKind,
} from './audit-report.ts'
export { type CdpFacilitatorOptions, createCdpFacilitator } from './cdp-facilitator.ts'
export { type CdpCredentials, CdpKeyError } from './cdp-token.ts'
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
export { ChainError } from './chain-error.ts'
export { type ChainReaderOptions, createChainReader } from './chain-reader.ts'
export {
  type CheckedPayment,
  type CheckPayment,
  type CheckRefusal,
  createPaymentCheck,
  type PaymentCheck,
  type PaymentCheckOptions,
} from './check-payment.ts'
export { createPaymentGate } from './create-payment-gate.ts'
export {
  type DecodeContext,
  type DecodedPayment,
  decodePayment,
  type MismatchReason,
} from './decode-payment.ts'
export type { Facilitator, SettleOutcome } from './facilitator.ts'
export {
  createFacilitatorRefundSender,
  type FacilitatorRefundSenderOptions,
} from './facilitator-refund-sender.ts'
export {
  createInProcessFacilitator,
  type InProcessFacilitatorOptions,
} from './in-process-facilitator.ts'
export { type NetworkName, type PaymentNetwork, paymentNetwork } from './network.ts'
export type {
  MoneyFault,
  Observer,
  PaymentActivity,
  PaymentNotice,
  SystemObstacle,
} from './payment-events.ts'
export type {
  Admission,
  AdmissionRequest,
  Offer,
  PaymentGate,
  PaymentHeaders,
  ResponseHeaders,
  ServedOutcome,
} from './payment-gate.ts'
export { type PaymentGateOptions, PaymentGateOptionsError } from './payment-gate-options.ts'
export {
  type PaymentRequired,
  PaymentRequiredError,
  type PaymentRequiredOptions,
  paymentRequired,
} from './payment-required.ts'
export {
  type PaymentRequirements,
  type PaymentTerms,
  paymentRequirements,
  type ResourceInfo,
} from './payment-requirements.ts'
export { claimedHeaders, type Receipt, receiptHeaders } from './receipt-headers.ts'
export { signatureBackend } from './recover-signer.ts'
export {
  createRecovery,
  type Recovery,
  type RecoveryOptions,
  type RecoveryRound,
} from './recovery.ts'
export {
  type ComputedRefundMinimumOptions,
  computedRefundMinimum,
  fixedRefundMinimum,
  type RefundMinimum,
  refundMinimumAt,
} from './refund-minimum.ts'
export { mergedRefundNonce, refundNonce } from './refund-nonce.ts'
export type { RefundRound } from './refund-round.ts'
export { createRefundSender, type RefundSenderOptions } from './refund-sender.ts'
export { createRefundSigner, RefundSignerError, type TreasurySigner } from './refund-signer.ts'
export { createRefundWorker, type RefundWorker, type RefundWorkerOptions } from './refund-worker.ts'
export { createRemoteFacilitator, type RemoteFacilitatorOptions } from './remote-facilitator.ts'
export {
  type RefundDecision,
  type RefundResolution,
  retryRefund,
  writeOffRefund,
} from './resolve-refund.ts'
export type { SignedPayment } from './signed-payment.ts'
export { systemTimers, type Timers } from './timers.ts'
export type { QueueNotice, QueueOutcome, TransactionCall } from './transaction-call.ts'
export {
  createTransactionQueue,
  type TransactionQueue,
  type TransactionQueueOptions,
} from './transaction-queue.ts'
