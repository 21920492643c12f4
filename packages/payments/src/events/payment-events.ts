import type {
  ChannelMovementKind,
  ChannelRecord,
  GasPaid,
  Hex,
  PaymentId,
  PaymentRecord,
  RefundTransfer,
  ReturnKind,
} from '@farebox/ledger'
import type { Usdc } from '@farebox/money'

/** Why all refunds are paused; no single refund is at fault. */
export type SystemObstacle =
  | 'token_paused'
  | 'treasury_blacklisted'
  | 'treasury_delegated'
  | 'treasury_empty'
  | 'no_gas'
  | 'rpc_down'
  /** The ledger cannot be read or written. */
  | 'ledger_down'
  | 'fee_cap'
  /** The account that signs, in a KMS for example, does not respond. */
  | 'signer_down'
  | 'hourly_cap'

/** Why sales stop: the treasury and the ledger disagree, or nothing can be settled. */
export type TreasuryFault =
  /** The treasury holds less than it owes, not counting refunds that are already signed. */
  | 'treasury_short'
  /** A refund left with another amount or payee than the ledger recorded. */
  | 'refund_differs'
  /** The treasury signed a transfer that is not in the ledger. */
  | 'refund_unknown'
  /** The relayer settled a payment of another ledger, which sells for this treasury too. */
  | 'sale_unknown'
  /** The relayer cannot pay for a settlement. The gateway's own check reports it. */
  | 'relayer_empty'
  /** The token's issuer has paused it: no payment and no refund passes. */
  | 'token_paused'
  /** The treasury is on the token's blocklist: no payment and no refund passes. */
  | 'treasury_blacklisted'

/** Why nothing may be sold from channels: their logs are not read, or claims do not arrive. */
export type ChannelObstacle = 'channels_not_watched' | 'channel_claims_failing'

/**
 * What the gate, the refund worker, recovery and the treasury monitor report while they work. An
 * observer that throws changes nothing.
 */
export type PaymentNotice =
  | { readonly type: 'payment_settled'; readonly payment: PaymentRecord }
  | { readonly type: 'payment_unknown'; readonly payment: PaymentRecord; readonly reason: string }
  | { readonly type: 'payment_rejected'; readonly payment: PaymentRecord; readonly reason: string }
  | { readonly type: 'payment_completed'; readonly payment: PaymentRecord }
  | { readonly type: 'payment_failed'; readonly payment: PaymentRecord; readonly reason: string }
  | { readonly type: 'payment_void'; readonly payment: PaymentRecord }
  /** Money arrived for an authorization that was rejected or may not be served: it is refunded. */
  | { readonly type: 'payment_unsolicited'; readonly payment: PaymentRecord }
  /** The settlement of a call that overlapped with it failed or is unknown: the operator's loss. */
  | { readonly type: 'service_ahead_lost'; readonly payment: PaymentRecord }
  /** The node shows its transfer in the block that is being built: the response may begin. */
  | {
      readonly type: 'payment_preconfirmed'
      readonly payment: PaymentRecord
      readonly transaction: Hex
    }
  /** In addition to `service_ahead_lost`: a part of the response was sent after that preconfirmation. */
  | {
      readonly type: 'preconfirmation_lost'
      readonly payment: PaymentRecord
      readonly transaction: Hex
    }
  /** A settlement vanished in a reorganization and cannot settle again. */
  | { readonly type: 'settlement_lost'; readonly payment: PaymentRecord }
  | {
      readonly type: 'refund_submitted'
      readonly transfer: RefundTransfer
      readonly transaction: Hex
    }
  | { readonly type: 'refund_confirmed'; readonly transfer: RefundTransfer }
  /** The refund was already on the chain: it was recorded, not sent. */
  | { readonly type: 'refund_found'; readonly transfer: RefundTransfer; readonly value: Usdc }
  | { readonly type: 'refund_lost'; readonly transfer: RefundTransfer }
  | {
      readonly type: 'refund_blocked'
      readonly transfer: RefundTransfer
      readonly reason: string
    }
  /** Still blocked after days; reported at each check, which by then is once a day. */
  | {
      readonly type: 'refund_overdue'
      readonly transfer: RefundTransfer
      readonly reason: string
    }
  | { readonly type: 'refund_unblocked'; readonly transfer: RefundTransfer }
  /** No longer owed, by an operator's decision or because the payment itself is lost. */
  | {
      readonly type: 'refund_written_off'
      readonly transfer: RefundTransfer
      readonly reason: string
    }
  /** Refunds are paused until the cause is gone; no attempts are spent on them. */
  | { readonly type: 'refunds_paused'; readonly reason: SystemObstacle }
  | { readonly type: 'refunds_resumed'; readonly reason: SystemObstacle }
  /** The treasury and the ledger disagree: nothing more may be sold. Refunds continue. */
  | {
      readonly type: 'sales_stopped'
      readonly reason: TreasuryFault
      readonly balance?: Usdc
      readonly owed?: bigint
      readonly transaction?: Hex
    }
  | { readonly type: 'sales_resumed'; readonly reason: TreasuryFault }
  | { readonly type: 'treasury_low'; readonly balance: Usdc; readonly minimum: Usdc }
  | { readonly type: 'relayer_low'; readonly balance: bigint; readonly minimum: bigint }
  /** The treasury or the relayer was low and holds enough again. */
  | { readonly type: 'treasury_funded' | 'relayer_funded' }
  /** What both hold, once a minute. `relayer` is in wei; null without a relayer. */
  | { readonly type: 'balances_read'; readonly treasury: Usdc; readonly relayer: bigint | null }
  /** A transaction of the relayer was mined. */
  | { readonly type: 'gas_paid'; readonly paid: GasPaid }
  /** A transaction of the relayer is not mined, and those after it wait for it. */
  | { readonly type: 'relayer_stuck'; readonly nonce: number; readonly reason: string }
  /** A deposit is proven: a channel's first one opens it. */
  | {
      readonly type: 'channel_deposited'
      readonly channelId: Hex
      readonly payer: Hex
      readonly amount: Usdc
      readonly transaction: Hex
    }
  /** A channel sells nothing more: it was idle, or its payer asks for the rest. */
  | {
      readonly type: 'channel_closing'
      readonly channel: ChannelRecord
      readonly reason: 'idle' | 'payer_asked'
    }
  /** Escrow was returned to the payer: `channel_closed` if nothing is left for calls. */
  | {
      readonly type: 'channel_closed' | 'channel_returned'
      readonly channel: ChannelRecord
      readonly by: ReturnKind
      readonly amount: Usdc
      readonly transaction: Hex
    }
  /** A movement of a channel vanished in a reorganization, and is no longer booked. */
  | {
      readonly type: 'channel_movement_lost'
      readonly channel: ChannelRecord
      readonly kind: ChannelMovementKind
      readonly amount: Usdc
      readonly transaction: Hex
    }
  /** The chain and the ledger disagree about a channel: it never sells again. */
  | { readonly type: 'channel_frozen'; readonly channel: ChannelRecord; readonly reason: string }
  /** A payer announced a withdrawal: what was charged is claimed before it can be paid out. */
  | { readonly type: 'channel_withdrawal'; readonly channel: ChannelRecord }
  /** A round claimed from channels; `refused` of them were frozen, `waiting` are tried again. */
  | {
      readonly type: 'channels_claimed'
      readonly claimed: number
      readonly refused: number
      readonly waiting: number
    }
  /** Claims were paid to the treasury. */
  | { readonly type: 'channels_settled'; readonly amount: Usdc }
  /** The gas for closings in this hour is used up. */
  | { readonly type: 'channel_closings_delayed'; readonly closings: number }
  /** Nothing is sold from channels until the cause is gone; sales by `exact` continue. */
  | { readonly type: 'channels_stopped' | 'channels_resumed'; readonly reason: ChannelObstacle }
  /** A lease could not be renewed: another replica may take the payment over. */
  | { readonly type: 'lease_lost'; readonly paymentId: PaymentId }
  /** A dependency failed; background work is tried again. */
  | { readonly type: 'fault'; readonly during: PaymentActivity; readonly error: unknown }

export type PaymentActivity =
  | 'admission'
  | 'heartbeat'
  | 'refunds'
  | 'recovery'
  | 'treasury'
  | 'channels'
  | 'gas'

export type Observer = (notice: PaymentNotice) => void

/** An observer that never throws. */
export function safeObserver(observer: Observer | undefined): Observer {
  return (notice) => {
    try {
      observer?.(notice)
    } catch {
      // Reporting never changes a payment.
    }
  }
}
