import type { Hex, PaymentId } from '@farebox/ledger'
import type { Usdc } from '@farebox/money'

/** Something that the chain and the ledger say differently, or that only one of them says. */
export type AuditFinding = {
  readonly kind: ExplainedKind | UnexplainedKind
  /** Atomic units that are in question. */
  readonly amount: Usdc
  readonly paymentId: PaymentId | null
  readonly nonce: Hex | null
  readonly transaction: Hex | null
}

/** What is not as simple as paid, served and refunded, and yet in order. */
export type ExplainedKind =
  /** Money that nobody asked for: it belongs to nobody's payment. */
  | 'suspense'
  /** The ledger knows the authorisation and has not recorded its transfer yet. */
  | 'settlement_in_progress'
  /** The ledger knows the refund and has not recorded its transfer yet. */
  | 'refund_in_progress'
  /** A refund, by its nonce, of a payment that a restored backup has forgotten. */
  | 'forgotten_refund'
  /** Moved to another account of ours. */
  | 'sweep'
  | 'blocked_refund'
  /** Served, and its settlement vanished in a reorganisation. */
  | 'absorbed_loss'
  | 'written_off'

/** What must not be. */
export type UnexplainedKind =
  /** Money left the treasury, and no payment says why. */
  | 'outbound_without_refund'
  /** The ledger says settled, and the chain does not hold the transfer. */
  | 'settlement_missing'
  /** The ledger says refunded, and the chain does not hold the transfer. */
  | 'refund_missing'
  /** A transfer of another amount or account than the ledger has. */
  | 'transfer_differs'
  /** A payment's entries do not add up to its state. */
  | 'entries_differ'
  /** What was paid is not cost and refund. */
  | 'sum_differs'

export type AuditReport = {
  readonly fromBlock: number
  readonly toBlock: number
  /** How many of each were compared. */
  readonly transfers: number
  readonly payments: number
  readonly refunds: number
  /** Atomic units of transfers that match a payment or a refund. */
  readonly received: Usdc
  readonly refunded: Usdc
  readonly explained: readonly AuditFinding[]
  readonly unexplained: readonly AuditFinding[]
  /** The sum of what is unexplained: zero when all is well. */
  readonly unexplainedUnits: Usdc
}
