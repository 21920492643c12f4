import type { Hex, PaymentId } from '@farebox/ledger'
import { atomicUsdc, type Usdc } from '@farebox/money'

/** A difference between the chain and the ledger, or something that only one of them holds. */
export type AuditFinding = {
  readonly kind: ExplainedKind | UnexplainedKind
  /** The atomic units in question. */
  readonly amount: Usdc
  readonly paymentId: PaymentId | null
  readonly nonce: Hex | null
  readonly transaction: Hex | null
  /** What differs, and in which row: what it holds, and what it must hold if that is known. */
  readonly detail?: string | undefined
}

/** A difference that a row of the ledger shows. */
export function rowFinding(amount: bigint, detail: string): AuditFinding {
  const nothingNamed = { paymentId: null, nonce: null, transaction: null }
  return { kind: 'channel_differs', amount: atomicUsdc(amount), ...nothingNamed, detail }
}

/** Differences with a legitimate explanation. */
export type ExplainedKind =
  /**
   * Unsolicited money: it belongs to no payment, such as a transfer that used a payment's nonce for
   * another amount.
   */
  | 'suspense'
  /** The ledger has the authorization, but has not recorded its transfer yet. */
  | 'settlement_in_progress'
  /** The ledger has the refund, but has not recorded its transfer yet. */
  | 'refund_in_progress'
  /** A refund, by its nonce, of a payment that is missing from a restored backup. */
  | 'unrecorded_refund'
  /** Moved to another account of the operator. */
  | 'sweep'
  | 'blocked_refund'
  /** A movement of a channel in the last blocks that the ledger has not booked yet. */
  | 'channel_in_progress'
  /** Served, and its settlement vanished in a reorganization. */
  | 'absorbed_loss'
  | 'written_off'

/** Differences that must never occur. */
export type UnexplainedKind =
  /** Money left the treasury, and no payment explains it. */
  | 'outbound_without_refund'
  /** Settled according to the ledger, but the chain does not hold the transfer. */
  | 'settlement_missing'
  /** Refunded according to the ledger, but the chain does not hold the transfer. */
  | 'refund_missing'
  /** A transfer whose amount or account differs from the ledger. */
  | 'transfer_differs'
  /**
   * With a transaction: a log of the channel contract that the ledger has not booked, or that it has
   * booked and the chain does not hold. Without one, `detail` names the row: the contract holds other
   * amounts than the ledger has proofs of, the sums of a channel differ from its movements and calls,
   * its terms or its voucher do not support a claim, or the rounds would overlook its rest, its
   * charges or its withdrawal.
   */
  | 'channel_differs'
  /**
   * The ledger counts refunds of a channel that the contract has not made, so that the next one would
   * fail. The contract may be ahead: a refund that moves nothing leaves no log.
   */
  | 'channel_nonce_differs'
  /** The entries of a payment or a movement do not add up to what its state requires. */
  | 'entries_differ'
  /** Cost and refund do not add up to what was paid. */
  | 'sum_differs'
  /** A payment and the transfer of its refund differ in payee, amount or state. */
  | 'refund_differs'
  /** The stored sum of a past day differs from the entries of that day: `detail` has both. */
  | 'revenue_differs'
  /** Nothing has happened for a day, by the chain's time, to a payment or a refund that is open. */
  | 'overdue'
  /** A row that no version of the ledger can have written; the rest is audited without it. */
  | 'row_corrupt'

export type AuditReport = {
  readonly fromBlock: number
  readonly toBlock: number
  /** How many of each were compared. */
  readonly transfers: number
  readonly payments: number
  readonly refunds: number
  readonly channels: number
  /** Atomic units of the transfers that match a payment or a refund. */
  readonly received: Usdc
  readonly refunded: Usdc
  readonly explained: readonly AuditFinding[]
  readonly unexplained: readonly AuditFinding[]
  /** The sum of what is unexplained: zero when everything is in order. */
  readonly unexplainedUnits: Usdc
}
