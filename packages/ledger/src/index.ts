export type { Account, LedgerEntry } from './ledger-entry.ts'
export type {
  Accrual,
  ApplyOutcome,
  ClaimOutcome,
  LeaseRequest,
  LedgerStore,
  NewPayment,
  PayoutEvent,
  PayoutOutcome,
  StoredAnswer,
} from './ledger-store.ts'
export type { PaymentEvent, RefundPlan } from './payment-event.ts'
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
export type { Payout } from './payout.ts'
