export type LedgerErrorCode =
  /** A claim has an invalid address, nonce, amount or id. */
  | 'invalid_payment'
  /** Another payment has the same id. */
  | 'duplicate_id'
  /** The transfer already proves another payment or refund. */
  | 'proof_used'
  /** Another refund transfer has the nonce or the sequence. */
  | 'refund_exists'
  /** The payment or the refund transfer is not in the store. */
  | 'not_found'
  /** The store cannot be reached or written; the change may or may not have happened. */
  | 'store_unavailable'
  /** The write violates a constraint of the database. */
  | 'refused_by_database'
  /** The URL of the store is not valid. */
  | 'invalid_url'
  /** An option of `openLedger` is unknown or cannot work. */
  | 'invalid_option'
  /** A driver is not installed, or this version of Node is too old for it. */
  | 'driver_missing'
  | 'node_too_old'
  /** A later version of this package has migrated the database. */
  | 'schema_newer'
  /** The ledger has to be migrated, and was opened with `olderSchema: 'refuse'`. */
  | 'schema_older'
  /** A row that no version of this package can have written. */
  | 'corrupt_row'
  | 'closed'

/** A store failed, or was given invalid data. */
export class LedgerError extends Error {
  override readonly name = 'LedgerError'
  readonly code: LedgerErrorCode
  constructor(code: LedgerErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

/** Receives an error that names the row, for each row that an export leaves out. */
export type OnCorruptRow = (error: LedgerError) => void
