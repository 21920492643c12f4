import type { Usdc } from '@farebox/money'

export type Hex = `0x${string}`

/** `pay_` and 32 hexadecimal digits of randomness: public, not guessable, no part of the chain. */
export type PaymentId = string & { readonly unit: 'payment-id' }

/**
 * Where a payment is in its life.
 *
 * - `settling`: claimed, and its settlement may have been sent
 * - `unknown`: whether money moved has to be read from the chain
 * - `settled`: the transfer to us is proven; nothing has been served
 * - `serving`: the one upstream call may have been made
 * - `completed`, `failed`: cost and refund are fixed (a failed payment costs nothing)
 * - `rejected`: definitely refused; only a late transfer can change that
 * - `void`: expired without a transfer
 */
export type PaymentStatus =
  | 'settling'
  | 'unknown'
  | 'settled'
  | 'serving'
  | 'completed'
  | 'failed'
  | 'rejected'
  | 'void'

/** The EIP-3009 authorisation of the payer. Addresses and nonce are lower-case hexadecimal. */
export type Authorization = {
  readonly chainId: number
  readonly asset: Hex
  readonly from: Hex
  readonly to: Hex
  readonly value: Usdc
  /** 32 bytes. With chain, asset and `from` it is the identity of a payment. */
  readonly nonce: Hex
  /** Seconds since 1970. */
  readonly validAfter: number
  readonly validBefore: number
}

/** Where on the canonical chain a transfer was proven by its logs. */
export type TransferProof = {
  readonly transaction: Hex
  readonly block: number
  readonly blockHash: Hex
  readonly logIndex: number
}

/** What the answer used, as it is shown to the payer. */
export type RecordedUsage = {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly images?: number
  readonly source: 'provider' | 'counted'
}

export type RefundStatus =
  | 'due'
  | 'accruing'
  | 'submitted'
  | 'confirmed'
  | 'blocked'
  | 'written_off'

/** A payment's part in a refund transfer. */
export type Refund = {
  readonly amount: Usdc
  readonly status: RefundStatus
  /** The nonce of the transfer that carries it; absent while it accrues. */
  readonly nonce: Hex | null
  readonly transaction: Hex | null
}

/** Everything Farebox knows of one payment. No prompt, no completion, no key. */
export type PaymentRecord = {
  readonly id: PaymentId
  /** Grows by one with each transition: the compare-and-set of the store. */
  readonly version: number
  readonly status: PaymentStatus
  /** CAIP-2, such as `eip155:84532`. */
  readonly network: string
  readonly authorization: Authorization
  /**
   * The signed payment payload as JSON, kept while it may have to be sent again, then null. It
   * holds a signature, so it never leaves the store but towards the facilitator.
   */
  readonly payload: string | null
  /** SHA-256 of the canonical request, hexadecimal: what the authorisation buys. */
  readonly requestDigest: string
  readonly resource: string
  readonly model: string
  readonly priceVersion: string
  /** The identifier a client gave by the x402 `payment-identifier` extension. */
  readonly clientPaymentId: string | null
  /** The chain's head when the settlement was intended: log searches start here. */
  readonly intentBlock: number
  /** The transaction that may settle, as far as it is known before it is proven. */
  readonly settlementHint: Hex | null
  readonly settlement: TransferProof | null
  /** The settlement lies so deep that it is no longer watched, and the payload is forgotten. */
  readonly settlementFinal: boolean
  readonly cost: Usdc | null
  readonly usage: RecordedUsage | null
  readonly refund: Refund | null
  /**
   * Why it is rejected, failed or unknown: a stable code. A settled payment has one only when it
   * must not be served (`late_transfer`, `unsolicited_transfer`) and goes back in full.
   */
  readonly reason: string | null
  /** Who works on it, and until when; another takes over after that. */
  readonly lease: Lease | null
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly updatedAt: number
}

export type Lease = { readonly owner: string; readonly until: number }
