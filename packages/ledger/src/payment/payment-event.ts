import type { Usdc } from '@farebox/money'
import type { Hex, RecordedUsage, TransferProof } from './payment-record.ts'

/** Everything that can happen to a claimed payment. `at` is milliseconds since 1970. */
export type PaymentEvent =
  /** The outcome of the settlement is unknown. */
  | {
      readonly type: 'settlement_unknown'
      readonly reason: string
      readonly hint: Hex | null
      readonly at: number
    }
  /**
   * The transfer to us was found in the chain's logs. A transfer no later than `intentBlock`, or
   * after a rejection, does not pay for anything: the payment is settled with a reason, cannot be
   * served, and is refunded by `service_failed`. On a payment that already has a proof, the transfer
   * moved to another block. With `begins`, the service of a payment that may be served starts in the
   * same step.
   */
  | {
      readonly type: 'settlement_proven'
      readonly proof: TransferProof
      readonly begins?: boolean
      readonly at: number
    }
  /** The settlement was definitely rejected before anything was broadcast. */
  | { readonly type: 'settlement_rejected'; readonly reason: string; readonly at: number }
  /** The settlement has enough confirmations that no reorganization will undo it. */
  | { readonly type: 'settlement_final'; readonly at: number }
  /**
   * The authorization expired on the chain without a transfer. It also ends recovery of a rejected
   * payment, and books the loss of one that was served before its settlement vanished.
   */
  | { readonly type: 'authorization_expired'; readonly at: number }
  /** The one upstream call is about to be made. */
  | { readonly type: 'service_started'; readonly at: number }
  /** The response was delivered, completely or in part, and is priced. */
  | {
      readonly type: 'service_completed'
      readonly cost: Usdc
      readonly usage: RecordedUsage | null
      /** The model that served, where it may be another than the one that was bought. */
      readonly model?: string | undefined
      /** What the provider bills, if that is known. */
      readonly providerCost?: Usdc | undefined
      readonly refund: RefundPlan
      readonly at: number
    }
  /** Nothing useful was delivered: the payment is refunded in full. */
  | {
      readonly type: 'service_failed'
      readonly reason: string
      readonly refund: RefundPlan
      readonly at: number
    }
  /**
   * The settlement vanished in a reorganization. Before the service, its outcome is unknown again;
   * after it, the cost is an absorbed loss and nothing is refunded until it is proven again.
   */
  | { readonly type: 'settlement_lost'; readonly at: number }
  /** The refund became part of a batch: its transfer and the transfer's amount are fixed. */
  | { readonly type: 'refund_assigned'; readonly nonce: Hex; readonly at: number }
  | { readonly type: 'refund_submitted'; readonly transaction: Hex; readonly at: number }
  | { readonly type: 'refund_confirmed'; readonly proof: TransferProof; readonly at: number }
  /** A submitted or confirmed refund vanished from the chain and is sent again. */
  | { readonly type: 'refund_lost'; readonly at: number }
  | { readonly type: 'refund_blocked'; readonly reason: string; readonly at: number }
  | { readonly type: 'refund_unblocked'; readonly at: number }
  | { readonly type: 'refund_written_off'; readonly at: number }

/** How a refund is sent: in its own transfer, or in a batch with the payer's others. */
export type RefundPlan =
  | {
      readonly kind: 'transfer'
      readonly nonce: Hex
      /** The earliest time it can be sent, in milliseconds since 1970; immediately if omitted. */
      readonly dueAt?: number
    }
  | { readonly kind: 'batch' }
