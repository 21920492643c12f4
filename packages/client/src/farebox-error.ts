/** What this package itself finds wrong. Errors of the gateway keep the gateway's own `code`. */
export type ClientErrorCode =
  | 'amount_above_call_cap'
  | 'amount_above_total_cap'
  | 'no_acceptable_payment'
  | 'payment_required'
  | 'payment_rejected'
  | 'connection_failed'
  | 'connection_lost'
  | 'invalid_response'
  | 'stream_truncated'
  | 'invalid_option'

export type FareboxErrorDetails = {
  /** HTTP status, where there was an answer. */
  readonly status?: number | undefined
  /** The field of the request that is wrong. */
  readonly param?: string | undefined
  /** The payment that the failed call was made with; ask `payment(id)` what became of it. */
  readonly paymentId?: string | undefined
  readonly retryAfterSeconds?: number | undefined
  readonly cause?: unknown
}

/**
 * Everything that this package throws. `code` is stable: one of `ClientErrorCode`, or the `code` of
 * the gateway's error (`invalid_field`, `upstream_unavailable`, `INVALID_DIMENSIONS`, …).
 */
export class FareboxError extends Error {
  override readonly name = 'FareboxError'
  readonly code: string
  readonly status: number | undefined
  readonly param: string | undefined
  readonly paymentId: string | undefined
  readonly retryAfterSeconds: number | undefined
  constructor(code: string, message: string, details: FareboxErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.status = details.status
    this.param = details.param
    this.paymentId = details.paymentId
    this.retryAfterSeconds = details.retryAfterSeconds
  }
}
