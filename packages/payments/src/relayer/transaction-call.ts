import type { GasPaid, GasPurpose, Hex } from '@farebox/ledger'
import type { SendingObstacle } from '../chain/chain.ts'

export type TransactionCall = {
  readonly to: Hex
  readonly data: Hex
  /** Estimated when absent. Required where inner calls may fail: they make estimates too low. */
  readonly gas?: bigint
  /** The most gas that it may use: a call whose estimate is higher is not sent. */
  readonly gasLimit?: bigint
  /** What its gas is recorded for: a `settlement` by default. */
  readonly purpose?: GasPurpose
}

export type QueueOutcome =
  | { readonly status: 'sent'; readonly transaction: Hex }
  /** The node did not answer. The same bytes are sent again until they are mined or replaced. */
  | { readonly status: 'unknown'; readonly transaction: Hex; readonly reason: string }
  /** It would revert: nothing was sent and no nonce was taken. */
  | { readonly status: 'reverts'; readonly message: string }
  /** Nothing was sent, and the call is not at fault. */
  | { readonly status: 'unavailable'; readonly reason: SendingObstacle }

export type QueueNotice =
  /** A transaction was mined at this cost. */
  | { readonly type: 'mined'; readonly paid: Omit<GasPaid, 'chainId'> }
  | { readonly type: 'replaced'; readonly nonce: number; readonly transaction: Hex }
  | { readonly type: 'nonce_conflict'; readonly nonce: number }
  | { readonly type: 'stuck'; readonly nonce: number; readonly reason: string }
