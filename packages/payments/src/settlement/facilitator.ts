import type { Hex } from '@farebox/ledger'
import type { SignedPayment } from '../wire/signed-payment.ts'

/**
 * What a facilitator reports about a payment. The report proves nothing: a settlement counts once its
 * logs are found on the chain.
 */
export type SettleOutcome =
  | {
      readonly status: 'settled'
      readonly transaction: Hex
      /** The gas that the relayer paid for this payment alone. */
      readonly gasUsed?: bigint
    }
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

/**
 * The transfer of a payment to us, in the receipt of a transaction whose block is still being built.
 * It proves nothing, and may be revoked.
 */
export type ShownSettlement = {
  readonly transaction: Hex
  /** The number of the block. */
  readonly block: number
}

/** Sends a signed payment to the chain. Never throws: a fault is an unknown outcome. */
export type Facilitator = {
  readonly name: string
  /** A facilitator that reads preconfirmations calls `onShown` with that of the payment. */
  settle(
    payment: SignedPayment,
    signal: AbortSignal,
    onShown?: (shown: ShownSettlement) => void,
  ): Promise<SettleOutcome>
}
