import type { ErrorCode } from '@farebox/api'

/** Why a request cannot be bought: the field, and one sentence with the fix. */
export type RequestRejection = {
  readonly code: ErrorCode
  readonly param: string | null
  readonly message: string
}

/** A request with its price, or why it has none. */
export type Quoted<Sale> =
  | { readonly status: 'quoted'; readonly sale: Sale }
  | { readonly status: 'rejected'; readonly rejection: RequestRejection }
