import type { Generated } from 'kysely'

/** Integers have 64 bits in both databases and are bigint here, never a float. */
type Whole = bigint

/**
 * One row per payment. Recovery looks for `unfinished`. Entries and dispatches refer to `seq`, which
 * only grows: their indexes are appended to, so a commit changes few pages.
 */
export type PaymentTable = {
  readonly seq: Generated<Whole>
  readonly id: string
  readonly version: Whole
  readonly status: string
  readonly network: string
  readonly chain_id: Whole
  readonly asset: string
  readonly payer: string
  readonly pay_to: string
  readonly value: Whole
  readonly nonce: string
  readonly valid_after: Whole
  readonly valid_before: Whole
  readonly payload: string | null
  readonly request_digest: string
  readonly resource: string
  readonly model: string
  readonly price_version: string
  readonly client_payment_id: string | null
  readonly intent_block: Whole
  readonly settlement_hint: string | null
  readonly settlement_transaction: string | null
  readonly settlement_block: Whole | null
  readonly settlement_block_hash: string | null
  readonly settlement_log_index: Whole | null
  readonly settlement_final: Whole
  readonly cost: Whole | null
  readonly usage: string | null
  readonly refund_amount: Whole | null
  readonly refund_status: string | null
  readonly refund_nonce: string | null
  readonly refund_transaction: string | null
  readonly reason: string | null
  readonly lease_owner: string | null
  readonly lease_until: Whole | null
  readonly unfinished: Whole
  readonly created_at: Whole
  readonly updated_at: Whole
  readonly kind: string
  readonly channel_id: string | null
  readonly provider_cost: Whole | null
}

/** Double entries: append-only. */
export type EntryTable = {
  readonly seq: Generated<Whole>
  readonly payment_seq: Whole
  readonly debit: string
  readonly credit: string
  readonly amount: Whole
  readonly at: Whole
}

/** One row per refund transfer; its payments are those with its nonce. */
export type RefundTransferTable = {
  readonly seq: Generated<Whole>
  readonly nonce: string
  readonly version: Whole
  readonly chain_id: Whole
  readonly asset: string
  readonly payer: string
  readonly amount: Whole
  readonly sequence: Whole | null
  readonly status: string
  readonly valid_before: Whole | null
  readonly signature: string | null
  readonly signed_at: Whole | null
  readonly transaction_hash: string | null
  readonly proof_transaction: string | null
  readonly proof_block: Whole | null
  readonly proof_block_hash: string | null
  readonly proof_log_index: Whole | null
  readonly reason: string | null
  readonly attempts: Whole
  readonly next_attempt_at: Whole
  readonly lease_owner: string | null
  readonly lease_until: Whole | null
  readonly created_at: Whole
  readonly updated_at: Whole
}

/** One row per payment channel. Uses refer to `seq`. */
export type ChannelTable = {
  readonly seq: Generated<Whole>
  readonly id: string
  readonly chain_id: Whole
  readonly payer: string
  readonly payer_authorizer: string
  readonly receiver: string
  readonly receiver_authorizer: string
  readonly token: string
  readonly withdraw_delay: Whole
  readonly salt: string
  readonly status: string
  readonly reason: string | null
  readonly version: Whole
  readonly deposited: Whole
  readonly returned: Whole
  readonly charged: Whole
  readonly reserved: Whole
  readonly signed: Whole
  readonly signature: string | null
  readonly claimed: Whole
  readonly unclaimed_since: Whole | null
  readonly refund_nonce: Whole
  readonly withdraw_at: Whole | null
  readonly seen_block: Whole
  readonly turn_digest: string | null
  readonly turn_max: Whole | null
  readonly turn_until: Whole | null
  readonly lease_owner: string | null
  readonly lease_until: Whole | null
  readonly last_call_at: Whole
  readonly created_at: Whole
  readonly updated_at: Whole
}

/** Which call each voucher paid for: one row per channel and `max`, never deleted. */
export type ChannelUseTable = {
  readonly channel_seq: Whole
  readonly max: Whole
  readonly signature: string
  readonly payment_id: string
  readonly free: Whole
  readonly published: Whole
}

/** What the settlement contract's logs prove besides the deposits that payments made. */
export type ChannelMovementTable = {
  readonly seq: Generated<Whole>
  readonly kind: string
  readonly chain_id: Whole
  readonly channel_id: string | null
  readonly amount: Whole
  readonly proof_transaction: string
  readonly proof_block: Whole
  readonly proof_block_hash: string
  readonly proof_log_index: Whole
  readonly lost: Whole
  readonly at: Whole
}

/** Double entries that belong to no payment: append-only. */
export type ChannelEntryTable = Omit<EntryTable, 'payment_seq'> & { readonly movement_seq: Whole }

/** The upstream calls that may have been made: one row per payment, never deleted. */
export type DispatchTable = { readonly payment_seq: Whole; readonly at: Whole }

export type AnswerTable = {
  readonly payment_id: string
  readonly status_code: Whole
  readonly content_type: string
  readonly body: Uint8Array
  readonly expires_at: Whole
}

/** Payments that ended unserved through their payer, for as long as they count against it. */
export type PayerFaultTable = {
  readonly payment_id: string
  readonly subject: string
  readonly cause: string
  readonly expires_at: Whole
}

/** What an address used of a day's free quota; the empty address has the sum of all. */
export type FreeQuotaTable = {
  readonly day: Whole
  readonly address: string
  readonly used: Whole
}

/** The free calls of one model on one day. */
export type FreeUseTable = {
  readonly day: Whole
  readonly model: string
  readonly calls: Whole
  readonly cost: Whole
  readonly provider_cost: Whole
}

/** A mined transaction of the relayer, with its fee in wei. */
export type GasPaidTable = {
  readonly chain_id: Whole
  readonly sender: string
  readonly nonce: Whole
  readonly transaction_hash: string
  readonly purpose: string
  readonly succeeded: Whole
  readonly gas: Whole
  readonly fee: Whole
  readonly at: Whole
}

/** One row, written to check that the store accepts writes. */
export type HeartbeatTable = { readonly id: Whole; readonly beats: Whole }

export type LedgerDatabase = {
  readonly payment: PaymentTable
  readonly entry: EntryTable
  readonly refund_transfer: RefundTransferTable
  readonly dispatch: DispatchTable
  readonly channel: ChannelTable
  readonly channel_use: ChannelUseTable
  readonly channel_movement: ChannelMovementTable
  readonly channel_entry: ChannelEntryTable
  readonly answer: AnswerTable
  readonly payer_fault: PayerFaultTable
  readonly free_quota: FreeQuotaTable
  readonly free_use: FreeUseTable
  readonly gas_paid: GasPaidTable
  readonly heartbeat: HeartbeatTable
}

/** The SQL dialect of the database. */
export type SqlDialect = 'sqlite' | 'postgres'
