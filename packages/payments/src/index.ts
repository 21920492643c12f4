export { type AuditOptions, audit } from './audit/audit.ts'
export type {
  AuditFinding,
  AuditReport,
  ExplainedKind,
  UnexplainedKind,
} from './audit/audit-report.ts'
export { type NetworkName, type PaymentNetwork, paymentNetwork } from './chain/network.ts'
export type { ChannelRounds } from './channel-chain/channel-rounds.ts'
export type { CloseOutcome } from './channel-chain/close-round.ts'
export type { ChannelEndpoint } from './channel-endpoint/channel-endpoint.ts'
export type { PublicChannel } from './channel-endpoint/public-channel.ts'
export type { ChannelRequest, ChannelResponse } from './channel-endpoint/take-deposit.ts'
export type { ChannelSellingOptions } from './channel-gate/sell-by-channel.ts'
export type {
  ChannelObstacle,
  Observer,
  PaymentActivity,
  PaymentNotice,
  SystemObstacle,
  TreasuryFault,
} from './events/payment-events.ts'
export {
  type AdmissionError,
  type AdmissionResponse,
  admissionResponse,
} from './gate/admission-response.ts'
export type {
  Admission,
  AdmissionRequest,
  AdmissionStep,
  KeptAnswer,
  NotAdmitted,
  Offer,
  PaymentGate,
  PaymentHeaders,
  PendingAdmission,
  Preconfirmed,
  ResponseHeaders,
  ServedOutcome,
  ServiceEnd,
} from './gate/payment-gate.ts'
export type { Paywall } from './paywall/assemble-paywall.ts'
export { openPaywall } from './paywall/open-paywall.ts'
export type { PaywallOptions } from './paywall/paywall-options.ts'
export { type FacilitatorChoice, PaywallError } from './paywall/settlement-backend.ts'
export { type ChannelPolicy, channelPolicy, defaultChannelPolicy } from './policy/channel-policy.ts'
export { PaymentPolicyError } from './policy/check-policy.ts'
export type { PayerLimits } from './policy/payer-limits.ts'
export { defaultPaymentPolicy, type PaymentPolicy } from './policy/payment-policy.ts'
export {
  isUndeliverable,
  type RefundDecision,
  type RefundResolution,
  retryRefund,
  writeOffRefund,
} from './refund-worker/resolve-refund.ts'
export { invalidReplaySecret } from './request/invalid-replay-secret.ts'
export { mayBeAbandoned } from './request/may-be-abandoned.ts'
