export { type AuditOptions, audit } from './audit/audit.ts'
export type {
  AuditFinding,
  AuditReport,
  ExplainedKind,
  UnexplainedKind,
} from './audit/audit-report.ts'
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
} from './chain/chain.ts'
export { ChainError } from './chain/chain-error.ts'
export { type ChainReaderOptions, createChainReader } from './chain/chain-reader.ts'
export { type NetworkName, type PaymentNetwork, paymentNetwork } from './chain/network.ts'
export type {
  Observer,
  PaymentActivity,
  PaymentNotice,
  SystemObstacle,
  TreasuryFault,
} from './events/payment-events.ts'
export { type CdpFacilitatorOptions, createCdpFacilitator } from './facilitators/cdp-facilitator.ts'
export { type CdpCredentials, CdpKeyError } from './facilitators/cdp-token.ts'
export {
  createInProcessFacilitator,
  type InProcessFacilitatorOptions,
} from './facilitators/in-process-facilitator.ts'
export {
  createRemoteFacilitator,
  type RemoteFacilitatorOptions,
} from './facilitators/remote-facilitator.ts'
export {
  type AdmissionError,
  type AdmissionResponse,
  admissionResponse,
} from './gate/admission-response.ts'
export { createPaymentGate } from './gate/create-payment-gate.ts'
export type {
  Admission,
  AdmissionRequest,
  KeptAnswer,
  NotAdmitted,
  Offer,
  PaymentGate,
  PaymentHeaders,
  PendingAdmission,
  ResponseHeaders,
  ServedOutcome,
} from './gate/payment-gate.ts'
export type { PaymentGateOptions } from './gate/payment-gate-options.ts'
export { assemblePaywall, type Paywall, type PaywallParts } from './paywall/assemble-paywall.ts'
export { openPaywall, type PaywallOptions } from './paywall/open-paywall.ts'
export {
  type FacilitatorChoice,
  openSettlementBackend,
  PaywallError,
  type SettlementBackend,
  type SettlementBackendOptions,
} from './paywall/settlement-backend.ts'
export {
  defaultPaymentPolicy,
  devnetPaymentPolicy,
  type PaymentPolicy,
  PaymentPolicyError,
  paymentPolicy,
} from './policy/payment-policy.ts'
export type { PaymentPortsOptions } from './policy/payment-ports.ts'
export {
  type ComputedRefundMinimumOptions,
  computedRefundMinimum,
  fixedRefundMinimum,
  type RefundMinimum,
  refundMinimumAt,
} from './policy/refund-minimum.ts'
export {
  createRecovery,
  type Recovery,
  type RecoveryOptions,
  type RecoveryRound,
} from './recovery/recovery.ts'
export { batchedRefundNonce, refundNonce } from './refund-plan/refund-nonce.ts'
export {
  createFacilitatorRefundSender,
  type FacilitatorRefundSenderOptions,
} from './refund-sender/facilitator-refund-sender.ts'
export { createRefundSender, type RefundSenderOptions } from './refund-sender/refund-sender.ts'
export {
  createRefundSigner,
  RefundSignerError,
  type TreasurySigner,
} from './refund-sender/refund-signer.ts'
export type { RefundRound } from './refund-worker/refund-round.ts'
export {
  createRefundWorker,
  type RefundWorker,
  type RefundWorkerOptions,
} from './refund-worker/refund-worker.ts'
export {
  type RefundDecision,
  type RefundResolution,
  retryRefund,
  writeOffRefund,
} from './refund-worker/resolve-refund.ts'
export type { QueueNotice, QueueOutcome, TransactionCall } from './relayer/transaction-call.ts'
export {
  createTransactionQueue,
  type TransactionQueue,
  type TransactionQueueOptions,
} from './relayer/transaction-queue.ts'
export { systemTimers, type Timers } from './scheduling/timers.ts'
export type { Facilitator, SettleOutcome } from './settlement/facilitator.ts'
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
  createTreasuryMonitor,
  type TreasuryMonitor,
  type TreasuryMonitorOptions,
} from './treasury/treasury-monitor.ts'
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
