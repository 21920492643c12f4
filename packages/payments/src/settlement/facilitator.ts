import type { Hex } from '@farebox/ledger'
import type { SignedPayment } from '../wire/signed-payment.ts'

/**
 * What a facilitator made of a payment. Its word proves nothing: a settlement counts when its logs
 * are found on the chain.
 */
export type SettleOutcome =
  | { readonly status: 'settled'; readonly transaction: Hex }
  /** Definitely refused before anything was broadcast, by a reason of a closed list. */
  | { readonly status: 'refused'; readonly reason: string }
  /** Time-out, 5xx, garbage, pending: money may have moved or may yet move. */
  | { readonly status: 'unknown'; readonly reason: string; readonly transaction: Hex | null }

/** Carries a signed payment to the chain. Never throws: a fault is an unknown outcome. */
export type Facilitator = {
  readonly name: string
  settle(payment: SignedPayment, signal: AbortSignal): Promise<SettleOutcome>
}
