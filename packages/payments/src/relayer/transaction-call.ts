import type { Hex } from '@farebox/ledger'

export type TransactionCall = {
  readonly to: Hex
  readonly data: Hex
  /** Estimated when absent. Must be given where inner failures are allowed: they fool estimates. */
  readonly gas?: bigint
}

export type QueueOutcome =
  | { readonly status: 'sent'; readonly transaction: Hex }
  /** The node did not say. The same bytes are sent again until they are mined or replaced. */
  | { readonly status: 'unknown'; readonly transaction: Hex; readonly reason: string }
  /** It would revert; nothing was sent and no nonce taken. */
  | { readonly status: 'reverts'; readonly message: string }
  /** Nothing was sent, for no fault of the call. */
  | { readonly status: 'unavailable'; readonly reason: 'no_gas' | 'rpc_down' | 'fee_cap' }

export type QueueNotice =
  | { readonly type: 'replaced'; readonly nonce: number; readonly transaction: Hex }
  | { readonly type: 'nonce_conflict'; readonly nonce: number }
  | { readonly type: 'stuck'; readonly nonce: number; readonly reason: string }
  | { readonly type: 'no_gas'; readonly relayer: Hex }
