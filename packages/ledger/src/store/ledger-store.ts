import type { LedgerEntry } from '../book/ledger-entry.ts'
import type { PaymentEvent } from '../payment/payment-event.ts'
import type {
  Authorization,
  Hex,
  PaymentId,
  PaymentRecord,
  TransferProof,
} from '../payment/payment-record.ts'
import type { RefundTransfer } from '../refund/refund-transfer.ts'

/** What a claim says of a payment before anything was sent. */
export type NewPayment = Omit<
  PaymentRecord,
  | 'version'
  | 'status'
  | 'settlement'
  | 'settlementHint'
  | 'settlementFinal'
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

export type RefundTransferEvent =
  | {
      readonly type: 'signed'
      readonly signature: Hex
      readonly validBefore: number
      readonly at: number
    }
  | { readonly type: 'submitted'; readonly transaction: Hex; readonly at: number }
  | { readonly type: 'confirmed'; readonly proof: TransferProof; readonly at: number }
  | { readonly type: 'final'; readonly at: number }
  /** The transfer vanished or expired unsent: same nonce, same amount, again. */
  | { readonly type: 'lost'; readonly at: number }
  | {
      readonly type: 'blocked'
      readonly reason: string
      readonly nextAttemptAt: number
      readonly at: number
    }
  | { readonly type: 'postponed'; readonly nextAttemptAt: number; readonly at: number }
  /** Its obstacle is gone, or what was written off is owed again. */
  | { readonly type: 'unblocked'; readonly at: number }
  | { readonly type: 'written_off'; readonly at: number }

export type RefundTransferOutcome =
  | { readonly status: 'applied'; readonly refundTransfer: RefundTransfer }
  | { readonly status: 'conflict'; readonly refundTransfer: RefundTransfer }

/** Accruing refunds of one payer, oldest first. */
export type PendingRefunds = {
  readonly payer: Hex
  readonly chainId: number
  readonly asset: Hex
  readonly payments: readonly PaymentRecord[]
  /** The number of the payer's next merged refund transfer. */
  readonly sequence: number
}

/** Atomic units; what each sum counts is said at `refundTotals`. */
export type RefundTotals = {
  readonly paid: bigint
  readonly refunded: bigint
  readonly outstanding: bigint
  readonly unsent: bigint
}

/**
 * What the payments in a lease are asked for with: `limit` at most, leased to `owner` until `until`
 * if their lease is free or over at `now` (milliseconds since 1970).
 */
export type LeaseRequest = {
  readonly owner: string
  readonly now: number
  readonly until: number
  readonly limit: number
}

/**
 * Keeps payments, their entries and their refunds. A promise resolves only when what it says is
 * durable. Each change writes the record, its entries and its refund transfers in one transaction. A promise
 * that rejects with `store_unavailable` says nothing: read again.
 */
export type LedgerStore = {
  /**
   * Inserts the payment as `settling`, unless its authorisation was ever claimed, in whatever case
   * its hexadecimal is written. A client's payment identifier is free again once its payment was
   * rejected or expired.
   *
   * @throws {LedgerError} `invalid_payment`, `duplicate_id`.
   */
  claim(payment: NewPayment): Promise<ClaimOutcome>
  load(id: PaymentId): Promise<PaymentRecord | undefined>
  findByAuthorization(
    authorization: Pick<Authorization, 'chainId' | 'asset' | 'from' | 'nonce'>,
  ): Promise<PaymentRecord | undefined>
  findByClientPaymentId(clientPaymentId: string): Promise<PaymentRecord | undefined>
  /**
   * Applies `transition(payment, event)` if the stored version is still `payment.version`.
   * `answer` is stored in the same transaction. Leases are no part of a version: they change and
   * end on their own.
   *
   * @throws {TransitionError} when the event cannot happen in that state.
   * @throws {LedgerError} `proof_used` when the proof belongs to another payment, `refund_exists`
   * when the nonce of its refund does, `not_found`.
   */
  apply(payment: PaymentRecord, event: PaymentEvent, answer?: StoredAnswer): Promise<ApplyOutcome>
  loadAnswer(id: PaymentId, now: number): Promise<StoredAnswer | undefined>

  /** Extends or takes the lease of a payment if it is free, expired or the owner's own. */
  lease(
    id: PaymentId,
    lease: { owner: string; until: number; now: number },
  ): Promise<PaymentRecord | undefined>
  /**
   * Leases up to `limit` unfinished payments whose lease is free or over, oldest first: those that
   * are `settling`, `unknown`, `settled`, `serving` or `rejected`, and those `completed` or `failed`
   * until `settlement_final` (or the end of a vanished settlement) ends their watch. To look at one
   * again later, let its lease last until then.
   */
  leaseUnfinished(request: LeaseRequest): Promise<readonly PaymentRecord[]>

  /**
   * Leases refund transfers that are neither final nor written off and whose `nextAttemptAt` has come, those
   * due longest first; a row locked elsewhere is passed over. `blocked`, `postponed`, `unblocked`,
   * `final` and `written_off` give the lease back.
   */
  leaseRefunds(request: LeaseRequest): Promise<readonly RefundTransfer[]>
  /**
   * Also applies to the refund shares of its payments, in the same transaction.
   *
   * @throws {TransitionError} when the event cannot happen in that state: `signed` needs each
   * payment's settlement, `written_off` a last signature whose time is over.
   */
  applyToRefund(
    transfer: RefundTransfer,
    event: RefundTransferEvent,
  ): Promise<RefundTransferOutcome>
  loadRefund(nonce: Hex): Promise<RefundTransfer | undefined>
  /**
   * Payers with accruing refunds of money that has come, those with the oldest first, each with at
   * most `maxBatchedPayments` of them. How deep the settlements lie is for the caller to judge.
   */
  pendingSmallRefunds(limit: number): Promise<readonly PendingRefunds[]>
  /**
   * Freezes accruing refunds into one refund transfer; `gone` when one of them no longer accrues or the
   * sequence was taken, `conflict` when a refund transfer has the nonce already.
   */
  batchSmallRefunds(
    pending: PendingRefunds,
    transfer: { nonce: Hex; at: number },
  ): Promise<RefundTransferOutcome | { readonly status: 'gone' }>

  /**
   * Sums for breakers and alarms. `paid`: settled payments created since then; `refunded`: refund transfers
   * first signed since then; `outstanding`: all that is owed and not confirmed; `unsent`: what of it
   * has not been signed either, so that none of it can have left the treasury.
   */
  refundTotals(since: number): Promise<RefundTotals>
  /** Every payment in order of creation with its entries, as of one moment. */
  exportPayments(): AsyncIterable<{
    readonly payment: PaymentRecord
    readonly entries: readonly LedgerEntry[]
  }>
  exportRefunds(): AsyncIterable<RefundTransfer>
  /** Resolves when a write would be durable; rejects when the store is down. */
  ping(): Promise<void>
  /** Deletes answers that expired. */
  prune(now: number): Promise<void>
  close(): Promise<void>
}
