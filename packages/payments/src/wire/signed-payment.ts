import type { Authorization, Hex } from '@farebox/ledger'

/** A decoded `exact` EVM payment of either protocol version, with the payer's signature. */
export type SignedPayment = {
  /** The version of the header that it came in, and of the receipt header that the client reads. */
  readonly protocol: 1 | 2
  readonly network: string
  readonly authorization: Authorization
  readonly signature: Hex
  /** The v2 payload and the server's own requirement, as they are sent to a facilitator. */
  readonly payload: Readonly<Record<string, unknown>>
  readonly requirements: Readonly<Record<string, unknown>>
  /** The identifier of the x402 `payment-identifier` extension. */
  readonly clientPaymentId: string | null
  /** Appended to the call data of its settlement, to identify the sale. */
  readonly mark?: Hex
}
