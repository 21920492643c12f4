import type { Hex, PaymentId, PaymentRecord, RefundTransfer } from '@farebox/ledger'
import type { Usdc } from '@farebox/money'

/** Why refunds stand still altogether: none of them is at fault. */
export type SystemObstacle =
  | 'token_paused'
  | 'treasury_blacklisted'
  | 'treasury_delegated'
  | 'treasury_empty'
  | 'no_gas'
  | 'rpc_down'
  | 'fee_cap'
  | 'hourly_cap'

/** What must not be while anything is sold. */
export type MoneyFault =
  /** The treasury holds less than what it owes and has not signed away yet. */
  | 'treasury_short'
  /** A refund left with another amount or payee than the ledger froze. */
  | 'refund_differs'
  /** A transfer by the treasury's own signature that the ledger knows nothing of. */
  | 'refund_unknown'

/**
 * What the gate, the refund worker and recovery report while they work. It is news, never a
 * question: an observer that throws changes nothing.
 */
export type PaymentNotice =
  | { readonly type: 'payment_settled'; readonly payment: PaymentRecord }
  | { readonly type: 'payment_unknown'; readonly payment: PaymentRecord; readonly reason: string }
  | { readonly type: 'payment_rejected'; readonly payment: PaymentRecord; readonly reason: string }
  | { readonly type: 'payment_completed'; readonly payment: PaymentRecord }
  | { readonly type: 'payment_failed'; readonly payment: PaymentRecord; readonly reason: string }
  | { readonly type: 'payment_void'; readonly payment: PaymentRecord }
  /** Money arrived for an authorisation that was refused or that nobody may serve: it goes back. */
  | { readonly type: 'payment_unsolicited'; readonly payment: PaymentRecord }
  /** A settlement vanished in a reorganisation and cannot come back. */
  | { readonly type: 'settlement_lost'; readonly payment: PaymentRecord }
  | {
      readonly type: 'refund_submitted'
      readonly refundTransfer: RefundTransfer
      readonly transaction: Hex
    }
  | { readonly type: 'refund_confirmed'; readonly refundTransfer: RefundTransfer }
  /** The chain held the refund already: it was booked and not sent. */
  | { readonly type: 'refund_found'; readonly refundTransfer: RefundTransfer; readonly value: Usdc }
  | { readonly type: 'refund_lost'; readonly refundTransfer: RefundTransfer }
  | {
      readonly type: 'refund_blocked'
      readonly refundTransfer: RefundTransfer
      readonly reason: string
    }
  /** Still blocked after days; told at each look, which come a day apart by then. */
  | {
      readonly type: 'refund_overdue'
      readonly refundTransfer: RefundTransfer
      readonly reason: string
    }
  | { readonly type: 'refund_unblocked'; readonly refundTransfer: RefundTransfer }
  /** Owed no more, by its operator's word or because the payment itself vanished for good. */
  | {
      readonly type: 'refund_written_off'
      readonly refundTransfer: RefundTransfer
      readonly reason: string
    }
  /** Refunds stand still until the cause is gone; no attempts are spent on them. */
  | { readonly type: 'refunds_paused'; readonly reason: SystemObstacle }
  | { readonly type: 'refunds_resumed'; readonly reason: SystemObstacle }
  /** The money is not as it must be: nothing more may be sold. Refunds go on. */
  | {
      readonly type: 'sales_stopped'
      readonly reason: MoneyFault
      readonly balance?: Usdc
      readonly owed?: bigint
      readonly transaction?: Hex
    }
  | { readonly type: 'sales_resumed'; readonly reason: MoneyFault }
  | { readonly type: 'treasury_low'; readonly balance: Usdc; readonly minimum: Usdc }
  | { readonly type: 'relayer_low'; readonly balance: bigint; readonly minimum: bigint }
  /** A lease could not be renewed: another replica may take the payment over. */
  | { readonly type: 'lease_lost'; readonly paymentId: PaymentId }
  /** A dependency failed in the background; the work is tried again. */
  | { readonly type: 'fault'; readonly during: PaymentActivity; readonly error: unknown }

export type PaymentActivity = 'admission' | 'heartbeat' | 'refunds' | 'recovery'

export type Observer = (notice: PaymentNotice) => void

/** An observer whose failures stay its own. */
export function quietObserver(observer: Observer | undefined): Observer {
  return (notice) => {
    try {
      observer?.(notice)
    } catch {
      // Reporting never changes a payment.
    }
  }
}
