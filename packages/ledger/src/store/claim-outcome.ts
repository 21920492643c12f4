import type { PaymentRecord } from '../payment/payment-record.ts'

/** A payment as it is claimed, before anything is sent. */
export type NewPayment = Omit<
  PaymentRecord,
  | 'version'
  | 'status'
  | 'settlement'
  | 'settlementHint'
  | 'settlementFinal'
  | 'cost'
  | 'usage'
  | 'providerCost'
  | 'refund'
  | 'reason'
  | 'updatedAt'
> & {
  /**
   * Its service starts before the proof, under the lease of the claim. From then on nothing else may
   * serve it: unless the proof comes with `begins`, it is refunded in full.
   */
  readonly isOverlapping?: boolean
}

export type ClaimOutcome =
  | { readonly status: 'claimed'; readonly payment: PaymentRecord }
  /** The authorization or the client's payment identifier already has a payment. */
  | { readonly status: 'taken'; readonly payment: PaymentRecord }

/**
 * The payer's balance does not cover the payment in addition to those in flight; nothing was
 * written.
 */
export type BeyondBalance = { readonly status: 'beyond_balance' }

/**
 * Asks for at most `limit` payments or refunds whose lease is free or expired at `now`, and leases
 * them to `owner` until `until`. Times are milliseconds since 1970.
 */
export type LeaseRequest = {
  readonly owner: string
  readonly now: number
  readonly until: number
  readonly limit: number
}

/** A later lease was taken by a clock that was ahead: this is twice as far away as the end of a new one. */
export function latestLease({ now, until }: Pick<LeaseRequest, 'now' | 'until'>): number {
  return until + (until - now)
}
