export type { Account, LedgerEntry } from './book/ledger-entry.ts'
export { ledgerPosition, type Position } from './book/ledger-position.ts'
export {
  type ExportLine,
  exportLine,
  type PublicAmount,
  type PublicEntry,
  type PublicPayment,
  publicPayment,
} from './book/public-payment.ts'
export { admitsCall, type CallClaim } from './channel/admits-call.ts'
export {
  type AmountsAtRisk,
  type CallLimits,
  type LimitInAll,
  reachedLimit,
} from './channel/call-limits.ts'
export { type ChannelAmounts, channelAmounts } from './channel/channel-amounts.ts'
export type { ChannelEvent, ChannelPaymentEvent, ReturnKind } from './channel/channel-event.ts'
export { type ChannelLine, channelLine, movementLine } from './channel/channel-lines.ts'
export {
  type ChannelEntry,
  type ChannelMovement,
  type ChannelMovementKind,
  channelMovementKinds,
  movementEntries,
} from './channel/channel-movement.ts'
export {
  type ChannelConfig,
  type ChannelRecord,
  type ChannelStatus,
  type ChannelTurn,
  channelStatuses,
  type NewChannel,
  type Voucher,
} from './channel/channel-record.ts'
export { escrowOf } from './channel/escrow-of.ts'
export { transitionChannel } from './channel/transition-channel.ts'
export { createMemoryDisk, type MemoryDisk, type MemorySnapshot } from './memory/memory-disk.ts'
export { createMemoryStore, type MemoryStoreOptions } from './memory/memory-store.ts'
export { isOverlapping } from './payment/is-overlapping.ts'
export { isUndecided } from './payment/is-undecided.ts'
export { isUnfinished } from './payment/is-unfinished.ts'
export { LedgerError, type LedgerErrorCode, type OnCorruptRow } from './payment/ledger-error.ts'
export type { PayerFault, PayerFaultCause } from './payment/payer-fault.ts'
export type { PaymentEvent, RefundPlan } from './payment/payment-event.ts'
export { createPaymentId, parsePaymentId } from './payment/payment-id.ts'
export {
  type Authorization,
  type Hex,
  type Lease,
  type PaymentId,
  type PaymentKind,
  type PaymentRecord,
  type PaymentStatus,
  paymentKinds,
  paymentStatuses,
  type RecordedUsage,
  type Refund,
  type RefundStatus,
  refundStatuses,
  type TransferProof,
} from './payment/payment-record.ts'
export { reconcile } from './payment/reconcile.ts'
export { TransitionError } from './payment/transition-error.ts'
export {
  isRefundTransferOpen,
  type RefundTransfer,
  type RefundTransferStatus,
  refundTransferStatuses,
} from './refund/refund-transfer.ts'
export type {
  ChannelOutcome,
  ChannelStore,
  ChannelsDue,
  ChannelTotals,
  DepositOutcome,
  HoldOutcome,
  PublishedVoucher,
  SettleEvent,
} from './store/channel-store.ts'
export type {
  FreeBill,
  FreeHold,
  FreeHoldOutcome,
  FreeLimits,
  FreeQuotaStore,
  FreeUse,
  FreeUsed,
} from './store/free-quota-store.ts'
export {
  type GasOfDay,
  type GasPaid,
  type GasPurpose,
  type GasStore,
  unrecordedTransactions,
} from './store/gas-store.ts'
export {
  type KeptRevenue,
  type LedgerReports,
  type ModelRevenue,
  type Owed,
  type PaymentSearch,
  type PendingRefundStatus,
  type PendingRefundTotal,
  pendingRefundStatuses,
  type RefundSearch,
  type RevenuePeriod,
} from './store/ledger-reports.ts'
export type {
  ApplyOutcome,
  BeyondBalance,
  ClaimOutcome,
  ExportedPayment,
  KnownClaim,
  LeaseRequest,
  LedgerStore,
  NewPayment,
  OpenPayments,
  PayerKey,
  PayerSpending,
  PendingRefunds,
  RefundPayer,
  RefundTerms,
  RefundTransferEvent,
  RefundTransferOutcome,
  StoredAnswer,
} from './store/ledger-store.ts'
export { createRevenueTally } from './store/revenue-tally.ts'
export { isServable } from './transition/transition.ts'
