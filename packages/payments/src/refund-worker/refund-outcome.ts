import type { AuthorizationUse } from '../chain/chain.ts'

export type TransferredUse = Extract<AuthorizationUse, { readonly status: 'transferred' }>

/** What a round found out about one refund that it does not send. */
export type RefundOutcome =
  /** The chain holds its transfer. */
  | { readonly status: 'transferred'; readonly use: TransferredUse }
  /** Its confirmed transfer left the chain; `use` is what its nonce shows now. */
  | { readonly status: 'lost'; readonly use: AuthorizationUse }
  /** No reorganisation can undo it any more. */
  | { readonly status: 'final' }
  /** Nothing is wrong: look again after this delay. */
  | { readonly status: 'retry_later'; readonly delayMs: number }
  /** Held up by its payee, its nonce or its payments: retried at growing intervals. */
  | { readonly status: 'blocked_for_payee'; readonly reason: string }
  /** Held up on our side: retried soon. Without a reason, whatever paused all refunds is it. */
  | { readonly status: 'blocked_for_system'; readonly reason: string | null }
  /** No longer owed. */
  | { readonly status: 'written_off' }
