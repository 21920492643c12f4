export { type AuthorizationKey, canonicalKey, claimedRecord } from './claim-payment.ts'
export { isUnfinished } from './is-unfinished.ts'
export type { Account, LedgerEntry } from './ledger-entry.ts'
export { LedgerError, type LedgerErrorCode } from './ledger-error.ts'
export { ledgerPosition, type Position } from './ledger-position.ts'
export type {
  Accrual,
  ApplyOutcome,
  ClaimOutcome,
  LeaseRequest,
  LedgerStore,
  NewPayment,
  PayoutEvent,
  PayoutOutcome,
  RefundTotals,
  StoredAnswer,
} from './ledger-store.ts'
export { createMemoryDisk, type MemoryDisk, type MemorySnapshot } from './memory-disk.ts'
export { createMemoryStore, type MemoryStoreOptions } from './memory-store.ts'
export {
  changeAccrual,
  changePayment,
  changePayout,
  entriesFor,
  isAccruing,
  type PaymentChange,
  type PayoutChange,
} from './payment-change.ts'
export type { PaymentEvent, RefundPlan } from './payment-event.ts'
export { createPaymentId, parsePaymentId } from './payment-id.ts'
export type {
  Authorization,
  Hex,
  Lease,
  PaymentId,
  PaymentRecord,
  PaymentStatus,
  RecordedUsage,
  RefundShare,
  RefundStatus,
  TransferProof,
} from './payment-record.ts'
export { isPayoutOpen, maxMergedPayments, type Payout } from './payout.ts'
export {
  type ExportLine,
  exportLine,
  type PublicAmount,
  type PublicEntry,
  type PublicPayment,
  publicPayment,
} from './public-payment.ts'
export { isServable, transition } from './transition.ts'
export { TransitionError } from './transition-error.ts'
export { transitionPayout } from './transition-payout.ts'
