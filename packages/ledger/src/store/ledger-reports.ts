import type { LedgerEntry } from '../book/ledger-entry.ts'
import type { Hex, PaymentId, PaymentRecord, PaymentStatus } from '../payment/payment-record.ts'
import type { RefundTransfer } from '../refund/refund-transfer.ts'

/** A search for payments, the newest first. Times are milliseconds since 1970. */
export type PaymentSearch = {
  /** Created then or later. */
  readonly from: number
  /** Created earlier. */
  readonly to: number
  readonly payer?: Hex | undefined
  readonly model?: string | undefined
  readonly status?: PaymentStatus | undefined
  /** The last payment of the page before. */
  readonly after?: Pick<PaymentRecord, 'id' | 'createdAt'> | undefined
  readonly limit: number
}

/** The states of a refund transfer that has not reached its payee. */
export const pendingRefundStatuses = [
  'waiting',
  'signed',
  'submitted',
  'blocked',
  'written_off',
] as const

export type PendingRefundStatus = (typeof pendingRefundStatuses)[number]

/** A search for refund transfers, the oldest first. */
export type RefundSearch = {
  readonly status: PendingRefundStatus
  /** The last transfer of the page before. */
  readonly after?: Pick<RefundTransfer, 'nonce' | 'createdAt'> | undefined
  readonly limit: number
}

/** How many refund transfers are in one state, and their sum in atomic units. */
export type PendingRefundTotal = {
  readonly status: PendingRefundStatus
  readonly transfers: number
  readonly amount: bigint
}

/** The current debts by account, in atomic units. */
export type Owed = {
  /** Paid by a transfer, and not served yet. */
  readonly liability: bigint
  /** Paid without a purchase; refunded in full. */
  readonly suspense: bigint
  /** Refunds with their own transfer that has not arrived. */
  readonly refundsPayable: bigint
  /** Small refunds that wait for a batch. */
  readonly payerCredit: bigint
  /**
   * What payers have in channels that are not closed, including the maximums of calls in flight.
   * The settlement contract holds it, not the treasury.
   */
  readonly payerChannel: bigint
}

/** Days in UTC: both bounds are the first millisecond of a day, `to` is not included. */
export type RevenuePeriod = { readonly from: number; readonly to: number; readonly now: number }

/** What one model earned on one day, in atomic units. */
export type ModelRevenue = {
  /** The first millisecond of the day in UTC. */
  readonly day: number
  readonly model: string
  readonly payments: number
  readonly revenue: bigint
  /** What providers bill for the payments, as far as it is known. */
  readonly providerCost: bigint
  /** The number of payments whose provider cost is not known. */
  readonly unknownCosts: number
}

/** The sums that are kept of days that are over. */
export type KeptRevenue = {
  /** The first milliseconds of these days. A day without revenue has no sums. */
  readonly days: readonly number[]
  readonly sums: readonly ModelRevenue[]
}

/**
 * Reports for operators. Every query is answered from an index, so that it stays fast with many
 * million payments, and none locks a row.
 */
export type LedgerReports = {
  searchPayments(search: PaymentSearch): Promise<readonly PaymentRecord[]>
  /** At most a hundred payments that a transaction settled or refunded. */
  paymentsOfTransaction(transaction: Hex): Promise<readonly PaymentRecord[]>
  /** In the order in which they were written. */
  entriesOf(id: PaymentId): Promise<readonly LedgerEntry[]>
  searchRefunds(search: RefundSearch): Promise<readonly RefundTransfer[]>
  /** One total for each state that occurs. */
  pendingRefundTotals(): Promise<readonly PendingRefundTotal[]>
  owed(): Promise<Owed>
  /**
   * The revenue by day and model, in this order. A day counts as over an hour after its end: its
   * sums are then kept, because entries are never changed, and later calls read only these. Of
   * other days, the hours that ended more than five minutes ago are kept until then.
   */
  revenueByDay(period: RevenuePeriod): Promise<readonly ModelRevenue[]>
  /** What `revenueByDay` has kept, for an audit. */
  keptRevenue(): Promise<KeptRevenue>
}

/** How many payments of one transaction are read at most. */
export const maxPaymentsOfTransaction = 100

export const dayMs = 86_400_000

/** How long after its end a day may still receive entries: clocks differ, and commits take time. */
const daysEndLateMs = 3_600_000

/** Whether the sums of the day that begins at `day` can no longer change. */
export function isDayOver(day: number, now: number): boolean {
  return day + dayMs + daysEndLateMs <= now
}
