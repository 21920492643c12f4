import type { LedgerEntry } from '../book/ledger-entry.ts'
import type { ChannelRecord } from '../channel/channel-record.ts'
import type { OnCorruptRow } from '../payment/ledger-error.ts'
import type { PayerFault } from '../payment/payer-fault.ts'
import type { PaymentEvent } from '../payment/payment-event.ts'
import type {
  Authorization,
  Hex,
  PaymentId,
  PaymentRecord,
  TransferProof,
} from '../payment/payment-record.ts'
import type { RefundTransfer } from '../refund/refund-transfer.ts'
import type { ChannelStore } from './channel-store.ts'
import type { BeyondBalance, ClaimOutcome, LeaseRequest, NewPayment } from './claim-outcome.ts'
import type { FreeQuotaStore } from './free-quota-store.ts'
import type { GasStore } from './gas-store.ts'
import type { LedgerReports } from './ledger-reports.ts'

export type { BeyondBalance, ClaimOutcome, LeaseRequest, NewPayment } from './claim-outcome.ts'

export type ApplyOutcome =
  | {
      readonly status: 'applied'
      readonly payment: PaymentRecord
      /** The channel, if the event changed one. */
      readonly channel?: ChannelRecord | undefined
    }
  /** The stored payment has another version; nothing was written. */
  | { readonly status: 'conflict'; readonly payment: PaymentRecord }

/** A finished response, kept for a repeat of the same request. */
export type StoredAnswer = {
  readonly statusCode: number
  readonly contentType: string
  readonly body: Uint8Array
  readonly expiresAt: number
}

export type ExportedPayment = {
  readonly payment: PaymentRecord
  readonly entries: readonly LedgerEntry[]
}

export type RefundTransferEvent =
  | {
      readonly type: 'signed'
      readonly signature: Hex
      readonly validBefore: number
      readonly at: number
    }
  | {
      readonly type: 'submitted'
      readonly transaction: Hex
      /** Postpones its next attempt until then, and releases its lease. */
      readonly nextAttemptAt?: number
      readonly at: number
    }
  | {
      readonly type: 'confirmed'
      readonly proof: TransferProof
      /** Postpones its next attempt until then, and releases its lease. */
      readonly nextAttemptAt?: number
      readonly at: number
    }
  | { readonly type: 'final'; readonly at: number }
  /** The transfer vanished or expired unsent; it is sent again with the same nonce and amount. */
  | { readonly type: 'lost'; readonly at: number }
  | {
      readonly type: 'blocked'
      readonly reason: string
      readonly nextAttemptAt: number
      readonly at: number
    }
  | { readonly type: 'postponed'; readonly nextAttemptAt: number; readonly at: number }
  /** The obstacle is gone, or a refund that was written off is owed again. */
  | { readonly type: 'unblocked'; readonly at: number }
  | { readonly type: 'written_off'; readonly at: number }

export type RefundTransferOutcome =
  | { readonly status: 'applied'; readonly transfer: RefundTransfer }
  | { readonly status: 'conflict'; readonly transfer: RefundTransfer }

/** Why the payment that claimed an authorization ended, if it did. */
export type KnownClaim = Pick<PaymentRecord, 'reason'>

/** What a refund transfer pays, and to whom. */
export type RefundTerms = Pick<RefundTransfer, 'nonce' | 'payer' | 'amount'>

/** A payer with pending small refunds. */
export type RefundPayer = { readonly payer: Hex; readonly chainId: number; readonly asset: Hex }

/** The small refunds of one payer that wait for a batch, oldest first. */
export type PendingRefunds = RefundPayer & {
  readonly payments: readonly PaymentRecord[]
  /** The number of the payer's next batch. */
  readonly sequence: number
}

/** A search for payers whose small refunds are due, by age or by their sum. */
export type SmallRefundSearch = {
  /** Payers whose oldest small refund is of a payment created then or earlier, in ms since 1970. */
  readonly createdUntil: number
  /** Payers whose small refunds add up to at least this, in atomic units. */
  readonly least: bigint
  readonly limit: number
}

/** The faults of one payer or code that still count at `now`, in milliseconds since 1970. */
export type PayerFaultSearch = { readonly subject: string; readonly now: number }

export type PayerKey = Pick<Authorization, 'chainId' | 'asset' | 'from'>

/** How many payments of one payer are open. */
export type OpenPayments = {
  /** Payments that are `rejected`: their authorizations have not expired. */
  readonly rejected: number
  /** Other payments whose settlement is not final, and refunds that are not final. */
  readonly others: number
}

/** A query for what a payer bought since two moments, in milliseconds since 1970. */
export type SpendingSearch = {
  readonly payer: PayerKey
  readonly requestsSince: number
  readonly spentSince: number
}

/**
 * What a payer bought, from channels too, without payments that are `rejected` or `void` and without
 * deposits.
 */
export type PayerSpending = {
  readonly requests: number
  /** When the first of these was claimed; null without any. */
  readonly firstRequestAt: number | null
  /** Costs, and the full payment while its cost is not fixed; in atomic units. */
  readonly spent: bigint
}

/** How many faults of one subject are read at most. */
export const maxPayerFaults = 100

/**
 * Stores payments, their entries and their refunds. A promise resolves only once its result is
 * durable. Each change writes the record, its entries and its refund transfers in one transaction.
 * After a rejection with `store_unavailable` the change may or may not have happened: read again.
 */
export type LedgerStore = LedgerReports &
  FreeQuotaStore &
  GasStore &
  ChannelStore & {
    /**
     * Inserts a sale as `settling`, unless its authorization has been claimed before; the case of
     * the hexadecimal digits makes no difference. A client's payment identifier can be used again once
     * its payment was rejected or expired.
     *
     * @throws {LedgerError} `invalid_payment`, `duplicate_id`.
     */
    claim(payment: NewPayment): Promise<ClaimOutcome>
    /**
     * The same, unless the payer's payments that are `settling` or `unknown` on this chain and asset
     * exceed its balance together with this one. Claims of one payer are judged one after the other,
     * by all replicas. An authorization that has been claimed is `taken` at any balance.
     */
    claimWithin(payment: NewPayment, balance: bigint): Promise<ClaimOutcome | BeyondBalance>
    /** The open payments of one payer, including refunds that may still reach it. */
    openPayments(payer: PayerKey): Promise<OpenPayments>
    /**
     * The block of a payer's first payment whose outcome or cost is not known yet; null without
     * any.
     */
    undecidedFrom(payer: PayerKey): Promise<number | null>
    payerSpending(search: SpendingSearch): Promise<PayerSpending>
    load(id: PaymentId): Promise<PaymentRecord | undefined>
    findByAuthorization(
      authorization: Pick<Authorization, 'chainId' | 'asset' | 'from' | 'nonce'>,
    ): Promise<PaymentRecord | undefined>
    /** The claim of each authorization; undefined if it is not claimed. Case as in `claim`. */
    claimsOf(
      authorizations: readonly Pick<Authorization, 'chainId' | 'asset' | 'from' | 'nonce'>[],
    ): Promise<readonly (KnownClaim | undefined)[]>
    findByClientPaymentId(clientPaymentId: string): Promise<PaymentRecord | undefined>
    /**
     * Applies `transition(payment, event)` if the stored version is still `payment.version`.
     * `answer` is stored in the same transaction. A lease does not change the version.
     *
     * @throws {TransitionError} if the event is not allowed in that state.
     * @throws {LedgerError} `proof_used` if the proof belongs to another payment, `refund_exists` if
     * its refund nonce does, `not_found`.
     */
    apply(payment: PaymentRecord, event: PaymentEvent, answer?: StoredAnswer): Promise<ApplyOutcome>
    loadAnswer(id: PaymentId, now: number): Promise<StoredAnswer | undefined>

    /** Takes the lease of a payment if it is free or expired, or extends the owner's own. */
    lease(
      id: PaymentId,
      lease: { owner: string; until: number; now: number },
    ): Promise<PaymentRecord | undefined>
    /**
     * Leases up to `limit` unfinished payments whose lease is free or expired, longest free first:
     * those that are `settling`, `unknown`, `settled`, `serving` or `rejected`, and those
     * `completed` or `failed` until their settlement is final or given up as lost. To check one
     * again later, lease it until then. With `onCorrupt`, a row that cannot be read is leased too,
     * so that it is named once a lease, and left out.
     *
     * @throws {LedgerError} `corrupt_row`, without `onCorrupt`.
     */
    leaseUnfinished(
      request: LeaseRequest,
      onCorrupt?: OnCorruptRow,
    ): Promise<readonly PaymentRecord[]>

    /**
     * Leases refund transfers that are neither final nor written off and whose `nextAttemptAt` has
     * passed, the longest overdue first; rows locked elsewhere are skipped. `blocked`, `postponed`,
     * `unblocked`, `final` and `written_off` release the lease. `onCorrupt` as in `leaseUnfinished`.
     */
    leaseRefunds(
      request: LeaseRequest,
      onCorrupt?: OnCorruptRow,
    ): Promise<readonly RefundTransfer[]>
    /**
     * Applies the event to the transfer and to the refunds of its payments, in one transaction.
     * `payments` are those of the transfer as the caller knows them: they are read again only if one
     * of them has changed.
     *
     * @throws {TransitionError} if the event is not allowed in that state: `signed` requires that each
     * payment's settlement is proven, `written_off` that the last signature has expired.
     */
    applyToRefund(
      transfer: RefundTransfer,
      event: RefundTransferEvent,
      payments?: readonly PaymentRecord[],
    ): Promise<RefundTransferOutcome>
    loadRefund(nonce: Hex): Promise<RefundTransfer | undefined>
    /** Those of the refund transfers with these nonces; nonces without one are left out. */
    refundTerms(nonces: readonly Hex[]): Promise<readonly RefundTerms[]>
    /**
     * Up to `limit` payers whose small refunds of settled payments are due, starting with the oldest
     * refund.
     */
    smallRefundsDue(search: SmallRefundSearch): Promise<readonly RefundPayer[]>
    /**
     * At most `maxBatchedPayments` small refunds of one payer, due or not. The caller checks how many
     * confirmations their settlements have.
     */
    pendingRefundsOf(payer: RefundPayer): Promise<PendingRefunds>
    /**
     * Batches small refunds into one refund transfer: `gone` if one of them is no longer pending or
     * the sequence is taken, `conflict` if another refund transfer has the nonce.
     */
    batchSmallRefunds(
      pending: PendingRefunds,
      batch: { nonce: Hex; at: number },
    ): Promise<RefundTransferOutcome | { readonly status: 'gone' }>

    /** Records that a payment ended unserved through its payer, or that another attempt at it did. */
    recordPayerFault(fault: PayerFault): Promise<void>
    /** Deletes a fault, which then no longer counts against any subject. */
    forgivePayerFault(fault: Pick<PayerFault, 'paymentId' | 'cause'>): Promise<void>
    /** The latest `maxPayerFaults` of them, those that expire last first. */
    payerFaults(search: PayerFaultSearch): Promise<readonly PayerFault[]>
    /** The faults by which one payment ended, expired or not. */
    payerFaultsOf(id: PaymentId): Promise<readonly PayerFault[]>

    /** The sum of the refund transfers that were first signed since then, in atomic units. */
    refundedSince(since: number): Promise<bigint>
    /**
     * Refunds that are owed but not signed, and so cannot have left the treasury; in atomic units.
     */
    unsentRefunds(): Promise<bigint>
    /**
     * A snapshot of every payment with its entries, in order of creation. With `onCorrupt`, a row
     * that cannot be read is left out.
     *
     * @throws {LedgerError} `corrupt_row`, without `onCorrupt`.
     */
    exportPayments(onCorrupt?: OnCorruptRow): AsyncIterable<ExportedPayment>
    exportRefunds(onCorrupt?: OnCorruptRow): AsyncIterable<RefundTransfer>
    /**
     * Resolves if the store accepts durable writes. Rejects if it is down, or if a later version has
     * migrated it since it was opened (`schema_newer`).
     */
    ping(): Promise<void>
    /**
     * Deletes expired answers and faults, what addresses used of free quotas two days ago, and up
     * to a thousand payments that have been `void` since before `unpaidBefore` and never had an
     * entry. Times are milliseconds since 1970.
     */
    prune(times: { readonly now: number; readonly unpaidBefore: number }): Promise<void>
    close(): Promise<void>
  }
