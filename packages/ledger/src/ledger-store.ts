import type { LedgerEntry } from './ledger-entry.ts'
import type { PaymentEvent } from './payment-event.ts'
import type { Authorization, Hex, PaymentId, PaymentRecord, TransferProof } from './payment-record.ts'
import type { Payout } from './payout.ts'

/** What a claim says of a payment before anything was sent. */
export type NewPayment = Omit<
  PaymentRecord,
  | 'version'
  | 'status'
  | 'settlement'
  | 'settlementHint'
  | 'cost'
  | 'usage'
  | 'refund'
  | 'reason'
  | 'updatedAt'
>

export type ClaimOutcome =
  | { readonly status: 'claimed'; readonly payment: PaymentRecord }
  /** The authorisation (or the client's payment identifier) has a payment already. */
  | { readonly status: 'taken'; readonly payment: PaymentRecord }

export type ApplyOutcome =
  | { readonly status: 'applied'; readonly payment: PaymentRecord }
  /** Somebody else changed the payment; nothing was written. */
  | { readonly status: 'conflict'; readonly payment: PaymentRecord }

/** A finished answer kept for the identical request. */
export type StoredAnswer = {
  readonly statusCode: number
  readonly contentType: string
  readonly body: Uint8Array
  readonly expiresAt: number
}

export type PayoutEvent =
  | { readonly type: 'signed'; readonly signature: Hex; readonly validBefore: number; readonly at: number }
  | { readonly type: 'submitted'; readonly transaction: Hex; readonly at: number }
  | { readonly type: 'confirmed'; readonly proof: TransferProof; readonly at: number }
  | { readonly type: 'final'; readonly at: number }
  /** The transfer vanished or expired unsent: same nonce, same amount, again. */
  | { readonly type: 'lost'; readonly at: number }
  | { readonly type: 'blocked'; readonly reason: string; readonly nextAttemptAt: number; readonly at: number }
  | { readonly type: 'postponed'; readonly nextAttemptAt: number; readonly at: number }
  | { readonly type: 'unblocked'; readonly at: number }
  | { readonly type: 'written_off'; readonly at: number }

export type PayoutOutcome =
  | { readonly status: 'applied'; readonly payout: Payout }
  | { readonly status: 'conflict'; readonly payout: Payout }

/** Accruing refunds of one payer, oldest first. */
export type Accrual = {
  readonly payer: Hex
  readonly chainId: number
  readonly asset: Hex
  readonly payments: readonly PaymentRecord[]
  /** The number of the payer's next merged payout. */
  readonly sequence: number
}

/**
 * Keeps payments, their entries and their refunds. A promise resolves only when what it says is
 * durable. Each change writes the record, its entries and its outbox rows in one transaction.
 */
export type LedgerStore = {
  /** Inserts the payment as `settling`, unless its authorisation was ever claimed. */
  claim(payment: NewPayment): Promise<ClaimOutcome>
  load(id: PaymentId): Promise<PaymentRecord | undefined>
  findByAuthorization(authorization: Pick<Authorization, 'chainId' | 'asset' | 'from' | 'nonce'>): Promise<PaymentRecord | undefined>
  findByClientPaymentId(clientPaymentId: string): Promise<PaymentRecord | undefined>
  /**
   * Applies `transition(payment, event)` if the stored version is still `payment.version`.
   * `answer` is stored in the same transaction.
   *
   * @throws {TransitionError} when the event cannot happen in that state.
   */
  apply(payment: PaymentRecord, event: PaymentEvent, answer?: StoredAnswer): Promise<ApplyOutcome>
  loadAnswer(id: PaymentId, now: number): Promise<StoredAnswer | undefined>

  /** Extends or takes the lease of a payment if it is free, expired or the owner's own. */
  lease(id: PaymentId, lease: { owner: string; until: number; now: number }): Promise<PaymentRecord | undefined>
  /** Leases up to `limit` unfinished payments whose lease is free or over, oldest first. */
  leaseUnfinished(request: LeaseRequest): Promise<readonly PaymentRecord[]>

  /** Leases payouts that are not final and due, oldest first; a row locked elsewhere is passed over. */
  leasePayouts(request: LeaseRequest): Promise<readonly Payout[]>
  /** Also applies to the refund shares of its payments, in the same transaction. */
  applyToPayout(payout: Payout, event: PayoutEvent): Promise<PayoutOutcome>
  loadPayout(nonce: Hex): Promise<Payout | undefined>
  /** Payers with accruing refunds, those with the oldest first. */
  accruals(limit: number): Promise<readonly Accrual[]>
  /** Freezes accruing refunds into one payout; `conflict` when one of them is no longer accruing. */
  mergeAccrual(accrual: Accrual, payout: { nonce: Hex; at: number }): Promise<PayoutOutcome | { readonly status: 'gone' }>

  /** Sums over the unfinished and the recent, for breakers and alarms. */
  refundTotals(since: number): Promise<{ readonly paid: bigint; readonly refunded: bigint; readonly outstanding: bigint }>
  /** Every payment in order of creation with its entries. */
  exportPayments(): AsyncIterable<{ readonly payment: PaymentRecord; readonly entries: readonly LedgerEntry[] }>
  exportPayouts(): AsyncIterable<Payout>
  /** Resolves when a write would be durable; rejects when the store is down. */
  ping(): Promise<void>
  /** Deletes answers that expired. */
  prune(now: number): Promise<void>
  close(): Promise<void>
}

export type LeaseRequest = {
  readonly owner: string
  readonly now: number
  readonly until: number
  readonly limit: number
}
