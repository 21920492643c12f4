import type { Usdc } from '@farebox/money'
import type { TransferProof } from '../payment/payment-record.ts'
import type { Voucher } from './channel-record.ts'

/** How escrow is returned to the payer: by a refund that we sign, or by the payer's own withdrawal. */
export type ReturnKind = 'refund' | 'withdrawal'

/**
 * What the chain shows about a channel, and what is decided about it. `at` is milliseconds since
 * 1970, amounts are what one log moved. A `…_lost` event takes back a log that vanished in a
 * reorganization.
 */
export type ChannelEvent =
  /** A deposit that no payment of the ledger made; its proof is the contract's `Deposited`. */
  | (Logged & { readonly type: 'deposit_proven'; readonly amount: Usdc })
  | (Logged & { readonly type: 'deposit_lost'; readonly amount: Usdc })
  /** `amount` is what this claim added, so that claims may be booked in any order. */
  | (Logged & Bounded & { readonly type: 'claim_proven'; readonly amount: Usdc })
  | (Logged & { readonly type: 'claim_lost'; readonly amount: Usdc })
  /**
   * A refund also uses up the refund nonce and ends a closing: the channel is closed, or open again if
   * it still holds something.
   */
  | (Logged &
      Bounded & { readonly type: 'returned'; readonly by: ReturnKind; readonly amount: Usdc })
  | (Logged & { readonly type: 'return_lost'; readonly by: ReturnKind; readonly amount: Usdc })
  /** From `withdrawAt` on, in seconds since 1970, the payer can take out the rest. */
  | (Dated & { readonly type: 'withdraw_announced'; readonly withdrawAt: number })
  /** No withdrawal is pending any more. */
  | (Dated & { readonly type: 'withdraw_cleared' })
  /** The rest is going to be returned; durable before the refund is signed. */
  | (Dated & { readonly type: 'closing' })
  /**
   * Refunds below `refundNonce`, which is the contract's, can no longer be executed, and no log shows
   * what used their nonces. A closing ends: its channel is open again.
   */
  | (Dated & { readonly type: 'nonce_used'; readonly refundNonce: bigint })
  | (Dated & { readonly type: 'frozen'; readonly reason: string })
  /** Its events were read up to `block`. */
  | (Dated & { readonly type: 'seen'; readonly block: number })

/** The effect of a payment on its channel, written together with the payment. */
export type ChannelPaymentEvent =
  | (Dated & { readonly type: 'deposit_proven'; readonly amount: Usdc })
  | (Dated & { readonly type: 'deposit_lost'; readonly amount: Usdc })
  /** A call with the request digest `digest` may cost up to `amount`. */
  | (Dated & {
      readonly type: 'held'
      readonly amount: Usdc
      readonly voucher: Voucher
      readonly digest: string
    })
  /** The call with this ceiling ended and cost `cost`. */
  | (Dated & { readonly type: 'charged'; readonly ceiling: Usdc; readonly cost: Usdc })
  /** The call with this ceiling failed and cost nothing. */
  | (Dated & { readonly type: 'released'; readonly ceiling: Usdc })

type Dated = { readonly at: number }
type Logged = Dated & { readonly proof: TransferProof }
/** With `within`, an event that moves more than the escrow which is left is not allowed. */
type Bounded = { readonly within?: 'escrow' }
