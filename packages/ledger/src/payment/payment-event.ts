import type { Usdc } from '@farebox/money'
import type { Hex, RecordedUsage, TransferProof } from './payment-record.ts'

/** What can happen to a payment after it was claimed. `at` is milliseconds since 1970. */
export type PaymentEvent =
  /** The outcome of the settlement is not known. */
  | {
      readonly type: 'settlement_unknown'
      readonly reason: string
      readonly hint: Hex | null
      readonly at: number
    }
  /**
   * The transfer to us was found in the chain's logs. One that lies no later than `intentBlock`, or
   * that comes after a refusal, bought nothing: it is settled with a reason, cannot be served, and
   * is given back by `service_failed`. On a payment with a proof it says that the transfer moved
   * to another block.
   */
  | { readonly type: 'settlement_proven'; readonly proof: TransferProof; readonly at: number }
  /** The settlement was definitely refused before anything was broadcast. */
  | { readonly type: 'settlement_rejected'; readonly reason: string; readonly at: number }
  /** The settlement lies deep enough that no reorganisation will undo it. */
  | { readonly type: 'settlement_final'; readonly at: number }
  /**
   * The authorisation's time is over on the chain and no transfer happened. Ends the watch over a
   * rejected payment too, and books the loss of one that was served before its settlement vanished.
   */
  | { readonly type: 'authorization_expired'; readonly at: number }
  /** The one upstream call is about to be made. */
  | { readonly type: 'service_started'; readonly at: number }
  /** The answer was delivered, wholly or in part, and is priced. */
  | {
      readonly type: 'service_completed'
      readonly cost: Usdc
      readonly usage: RecordedUsage | null
      readonly refund: RefundPlan
      readonly at: number
    }
  /** Nothing of use was delivered: everything goes back. */
  | {
      readonly type: 'service_failed'
      readonly reason: string
      readonly refund: RefundPlan
      readonly at: number
    }
  /**
   * The settlement vanished in a reorganisation. Unserved, its outcome is unknown again; served,
   * the cost is an absorbed loss and nothing may be given back until it is proven anew.
   */
  | { readonly type: 'settlement_lost'; readonly at: number }
  /** The refund, or a sum it is part of, was given its transfer: the amount is frozen. */
  | { readonly type: 'refund_assigned'; readonly nonce: Hex; readonly at: number }
  | { readonly type: 'refund_submitted'; readonly transaction: Hex; readonly at: number }
  | { readonly type: 'refund_confirmed'; readonly proof: TransferProof; readonly at: number }
  /** A confirmed or submitted refund vanished from the chain and is sent again. */
  | { readonly type: 'refund_lost'; readonly at: number }
  | { readonly type: 'refund_blocked'; readonly reason: string; readonly at: number }
  | { readonly type: 'refund_unblocked'; readonly at: number }
  | { readonly type: 'refund_written_off'; readonly at: number }

/** How an overpayment goes back: by a transfer of its own, or added up with the payer's others. */
export type RefundPlan =
  | { readonly kind: 'transfer'; readonly nonce: Hex }
  | { readonly kind: 'accrue' }
