import type { Usdc } from '@farebox/money'

export type Hex = `0x${string}`

/** `pay_` and 32 hexadecimal digits, 20 of them random: hard to guess, unrelated to the chain. */
export type PaymentId = string & { readonly unit: 'payment-id' }

/**
 * The states of a payment.
 *
 * - `settling`: claimed; the settlement may have been sent
 * - `unknown`: only the chain can tell whether money moved
 * - `settled`: the transfer to us is proven; nothing has been served
 * - `serving`: the one upstream call may have been made
 * - `completed`, `failed`: cost and refund are fixed (a failed payment costs nothing)
 * - `rejected`: definitely not settled; only a late transfer can change that
 * - `void`: expired without a transfer
 */
export const paymentStatuses = [
  'settling',
  'unknown',
  'settled',
  'serving',
  'completed',
  'failed',
  'rejected',
  'void',
] as const

export type PaymentStatus = (typeof paymentStatuses)[number]

/**
 * What a payment buys.
 *
 * - `sale`: one call, paid by a transfer to us
 * - `channel_deposit`: credit in a payment channel, paid by a transfer into the channel's escrow
 * - `channel_call`: one call, paid from a channel; nothing moves on the chain for it
 */
export const paymentKinds = ['sale', 'channel_call', 'channel_deposit'] as const

export type PaymentKind = (typeof paymentKinds)[number]

/** The EIP-3009 authorization of the payer. Addresses and nonce are lower-case hexadecimal. */
export type Authorization = {
  readonly chainId: number
  readonly asset: Hex
  readonly from: Hex
  readonly to: Hex
  readonly value: Usdc
  /** 32 bytes. Together with chain, asset and `from` it identifies a payment. */
  readonly nonce: Hex
  /** Seconds since 1970. */
  readonly validAfter: number
  readonly validBefore: number
}

/** Where on the canonical chain the logs prove a transfer. */
export type TransferProof = {
  readonly transaction: Hex
  readonly block: number
  readonly blockHash: Hex
  readonly logIndex: number
}

/** What the response used, as shown to the payer. */
export type RecordedUsage = {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly images?: number
  readonly source: 'provider' | 'counted'
}

/**
 * The states of a payment's refund. `accruing`: too small for a transfer, waiting for its batch.
 * `released`: the rest of a channel's call, which stays in the channel.
 */
export const refundStatuses = [
  'due',
  'accruing',
  'submitted',
  'confirmed',
  'blocked',
  'written_off',
  'released',
] as const

export type RefundStatus = (typeof refundStatuses)[number]

/** The refund of a payment, and its state. */
export type Refund = {
  readonly amount: Usdc
  readonly status: RefundStatus
  /** The nonce of its refund transfer; null while it waits for its batch. */
  readonly nonce: Hex | null
  readonly transaction: Hex | null
}

/** Everything that Farebox records of one payment. No prompt, no completion, no key. */
export type PaymentRecord = {
  readonly id: PaymentId
  /** Incremented by each transition: the store compares it before it writes. */
  readonly version: number
  readonly status: PaymentStatus
  /** CAIP-2, such as `eip155:84532`. */
  readonly network: string
  readonly kind: PaymentKind
  /** The channel of a deposit or a call; null for a sale. */
  readonly channelId: Hex | null
  /**
   * For a channel's call, which has no authorization, `value` is its ceiling, and the nonce is made
   * from the ids of payment and channel.
   */
  readonly authorization: Authorization
  /**
   * The signed payment payload as JSON, kept as long as it may have to be sent again, then null. It
   * contains a signature, so it only ever leaves the store for the facilitator.
   */
  readonly payload: string | null
  /** SHA-256 of the canonical request in hexadecimal: what the authorization pays for. */
  readonly requestDigest: string
  readonly resource: string
  /** What was bought; once it is completed, what served. */
  readonly model: string
  readonly priceVersion: string
  /** The client's identifier from the x402 `payment-identifier` extension. */
  readonly clientPaymentId: string | null
  /** The chain's head when the payment was claimed: log searches start here. */
  readonly intentBlock: number
  /** The transaction that may be the settlement, if known before it is proven. */
  readonly settlementHint: Hex | null
  readonly settlement: TransferProof | null
  /** The settlement has enough confirmations: it is no longer checked, and the payload is deleted. */
  readonly settlementFinal: boolean
  readonly cost: Usdc | null
  readonly usage: RecordedUsage | null
  /**
   * What the provider bills for the service, in millionths of a dollar, rounded up; null if that is
   * not known. Only for the operator, never shown to payers.
   */
  readonly providerCost: Usdc | null
  readonly refund: Refund | null
  /**
   * Why it is rejected, failed or unknown: a stable code. A settled payment has one only if it
   * must not be served (`late_transfer`, `unsolicited_transfer`) and is refunded in full.
   */
  readonly reason: string | null
  /** The process that works on it, and until when; another may take over after that. */
  readonly lease: Lease | null
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly updatedAt: number
}

export type Lease = { readonly owner: string; readonly until: number }
