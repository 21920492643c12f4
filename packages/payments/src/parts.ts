export { type ChannelSellingOptions, sellByChannel } from './channel-gate/sell-by-channel.ts'
export {
  createSettlementGroups,
  type MemberProbe,
  type MinedGroup,
  type SettlementGroupPorts,
  type SettlementGroups,
  type Settling,
  type ShownGroup,
} from './facilitators/settlement-groups.ts'
export { createPaymentGate } from './gate/create-payment-gate.ts'
export type { PaymentGateOptions } from './gate/gate-ports.ts'
export { assemblePaywall, type PaywallParts } from './paywall/assemble-paywall.ts'
export { devnetPaymentPolicy, paymentPolicy } from './policy/payment-policy.ts'
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
export type { RefundRound } from './refund-worker/refund-round.ts'
export {
  createRefundWorker,
  type RefundWorker,
  type RefundWorkerOptions,
} from './refund-worker/refund-worker.ts'
export { systemTimers, type Timers } from './scheduling/timers.ts'
export {
  createTreasuryMonitor,
  type TreasuryMonitor,
  type TreasuryMonitorOptions,
} from './treasury/treasury-monitor.ts'
