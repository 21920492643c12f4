import type { Usdc } from '@farebox/money'

/** Error codes of this package. Errors of the gateway keep the gateway's `code`. */
export type ClientErrorCode =
  | 'spend_cap_exceeded'
  | 'no_acceptable_payment'
  | 'payment_required'
  | 'payment_rejected'
  | 'signature_timeout'
  | 'refund_pending'
  | 'channel_unavailable'
  | 'channel_refused'
  | 'channel_store_failed'
  | 'connection_failed'
  | 'connection_lost'
  | 'invalid_response'
  | 'stream_truncated'
  | 'invalid_option'

/** The cap that a call would exceed. */
export type ExceededCap = {
  readonly scope: 'call' | 'hour' | 'total'
  readonly limit: Usdc
  /** What is left of the limit. */
  readonly left: Usdc
  /** The price of the call. */
  readonly price: Usdc
}

export type FareboxErrorDetails = {
  /** HTTP status, if there was a response. */
  readonly status?: number | undefined
  /** The invalid field of the request. */
  readonly param?: string | undefined
  /** The payment of the failed call; `payment(id)` returns its current state. */
  readonly paymentId?: string | undefined
  readonly retryAfterSeconds?: number | undefined
  /** The cap that was exceeded, with `spend_cap_exceeded`. */
  readonly cap?: ExceededCap | undefined
  readonly cause?: unknown
}

/**
 * What this package throws, except that an aborted call throws the reason of its signal. `code` is
 * stable: a `ClientErrorCode`, or the `code` of the
 * gateway's error (`invalid_field`, `upstream_unavailable`, `INVALID_DIMENSIONS`, …).
 */
export class FareboxError extends Error {
  override readonly name = 'FareboxError'
  readonly code: string
  readonly status: number | undefined
  readonly param: string | undefined
  readonly paymentId: string | undefined
  readonly retryAfterSeconds: number | undefined
  readonly cap: ExceededCap | undefined
  constructor(code: string, message: string, details: FareboxErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.status = details.status
    this.param = details.param
    this.paymentId = details.paymentId
    this.retryAfterSeconds = details.retryAfterSeconds
    this.cap = details.cap
  }
}
