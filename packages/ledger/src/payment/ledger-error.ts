export type LedgerErrorCode =
  /** A claim that is not in canonical form: an address, a nonce, an amount or an id. */
  | 'invalid_payment'
  /** Another payment has the same id. */
  | 'duplicate_id'
  /** The transfer proves another payment or refund transfer already. */
  | 'proof_used'
  /** Another refund transfer has the nonce or the sequence already. */
  | 'refund_exists'
  /** The payment or the refund transfer is not in the store. */
  | 'not_found'
  /** The store cannot be reached or written just now; what was asked may or may not have happened. */
  | 'store_unavailable'
  /** A constraint of the database held against what was to be written. */
  | 'refused_by_database'
  /** The address of the store is not understood. */
  | 'invalid_url'
  /** A driver is not installed, or this Node is too old for it. */
  | 'driver_missing'
  | 'node_too_old'
  /** The store holds what no version of this package wrote. */
  | 'corrupt_row'
  | 'closed'

/** A fault of a store or of what it was given. */
export class LedgerError extends Error {
  override readonly name = 'LedgerError'
  readonly code: LedgerErrorCode
  constructor(code: LedgerErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}
