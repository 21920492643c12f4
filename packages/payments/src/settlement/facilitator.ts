import type { Hex } from '@farebox/ledger'
import type { SignedPayment } from '../wire/signed-payment.ts'

/**
 * What a facilitator reports about a payment. The report proves nothing: a settlement counts once its
 * logs are found on the chain.
 */
export type SettleOutcome =
  | { readonly status: 'settled'; readonly transaction: Hex }
  | SettleRejection
  /** Timeout, 5xx, garbage, pending: money may have moved or may still move. */
  | {
      readonly status: 'unknown'
      readonly reason: string
      readonly transaction: Hex | null
      /** It was mined and failed: gas was paid for nothing. */
      readonly reverted?: true
    }

/** Definitely rejected before anything was broadcast, for a reason from a closed list. */
export type SettleRejection = { readonly status: 'rejected'; readonly reason: string }

/** Sends a signed payment to the chain. Never throws: a fault is an unknown outcome. */
export type Facilitator = {
  readonly name: string
  settle(payment: SignedPayment, signal: AbortSignal): Promise<SettleOutcome>
}
