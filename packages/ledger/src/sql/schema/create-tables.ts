import { paymentStatuses } from '../../payment/payment-record.ts'
import { refundTransferStatuses } from '../../refund/refund-transfer.ts'
import type { SqlDialect } from './schema.ts'

/**
 * The tables, with constraints that hold for every client of the database: one claim per
 * authorization, one proof per transfer, one service per payment, 0 ≤ cost ≤ paid, and
 * paid = cost + refund.
 */
export function createTables(dialect: SqlDialect): readonly string[] {
  const words = wordsOf(dialect)
  return [
    refundTransferTable(words),
    paymentTable(words, firstPaymentTable),
    ...paymentIndexes,
    ...smallTables(words),
  ]
}

/** What the databases call the same thing. */
export function wordsOf(dialect: SqlDialect): Words {
  return {
    whole: dialect === 'sqlite' ? 'integer' : 'bigint',
    bytes: dialect === 'sqlite' ? 'blob' : 'bytea',
    key:
      dialect === 'sqlite'
        ? 'integer primary key'
        : 'bigint generated always as identity primary key',
    strict: dialect === 'sqlite' ? 'strict' : '',
  }
}

export type Words = {
  readonly whole: string
  readonly bytes: string
  readonly key: string
  readonly strict: string
}

/** Begins a migration in which a large ledger takes longer than a statement may take otherwise. */
export function withoutTimeout(dialect: SqlDialect): readonly string[] {
  return dialect === 'postgres' ? ['set local statement_timeout = 0'] : []
}

export function hexOf(column: string, bytes: number): string {
  return `check (length(${column}) = ${2 + 2 * bytes} and ${column} = lower(${column}) and ${column} like '0x%')`
}

/** Words as a list of SQL literals. */
export function listed(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ')
}

/** The accounts of the first tables. */
const firstAccounts = [
  'treasury',
  'liability',
  'revenue',
  'refunds_payable',
  'payer_credit',
  'suspense',
  'absorbed_loss',
  'written_off',
]

/** What differs between the versions of the table of payments. */
export type PaymentTable = {
  readonly name: string
  readonly refundStatuses: readonly string[]
  /** Columns that follow the first ones, each with a comma. */
  readonly columns: string
  /** Checks that follow the first ones. */
  readonly checks: string
}

const firstPaymentTable: PaymentTable = {
  name: 'payment',
  refundStatuses: ['due', 'accruing', 'submitted', 'confirmed', 'blocked', 'written_off'],
  columns: '',
  checks: `check (case when refund_status = 'accruing' then refund_nonce is null
      else coalesce(refund_status, 'written_off') = 'written_off' or refund_nonce is not null end)`,
}

export function paymentTable({ whole, key, strict }: Words, table: PaymentTable): string {
  return `create table ${table.name} (
    seq ${key},
    id text not null unique,
    version ${whole} not null check (version > 0),
    status text not null check (status in (
      ${listed(paymentStatuses)})),
    network text not null,
    chain_id ${whole} not null,
    asset text not null ${hexOf('asset', 20)},
    payer text not null ${hexOf('payer', 20)},
    pay_to text not null ${hexOf('pay_to', 20)},
    value ${whole} not null check (value > 0),
    nonce text not null ${hexOf('nonce', 32)},
    valid_after ${whole} not null,
    valid_before ${whole} not null,
    payload text,
    request_digest text not null,
    resource text not null,
    model text not null,
    price_version text not null,
    client_payment_id text,
    intent_block ${whole} not null,
    settlement_hint text,
    settlement_transaction text,
    settlement_block ${whole},
    settlement_block_hash text,
    settlement_log_index ${whole},
    settlement_final ${whole} not null check (settlement_final in (0, 1)),
    cost ${whole} check (cost >= 0 and cost <= value),
    usage text,
    refund_amount ${whole} check (refund_amount > 0 and refund_amount <= value),
    refund_status text check (refund_status in (
      ${listed(table.refundStatuses)})),
    refund_nonce text references payout (nonce) deferrable initially deferred,
    refund_transaction text,
    reason text,
    lease_owner text,
    lease_until ${whole},
    unfinished ${whole} not null check (unfinished in (0, 1)),
    created_at ${whole} not null,
    updated_at ${whole} not null, ${table.columns}
    unique (chain_id, asset, payer, nonce),
    check ((settlement_transaction is null) = (settlement_log_index is null)),
    check ((settlement_transaction is null) = (settlement_block is null)),
    check ((settlement_transaction is null) = (settlement_block_hash is null)),
    check (settlement_final = 0 or settlement_transaction is not null),
    check (case when status in ('settling', 'unknown', 'rejected', 'void')
      then settlement_transaction is null
      else status <> 'settled' or settlement_transaction is not null end),
    check (case when status in ('completed', 'failed')
      then cost is not null and cost + coalesce(refund_amount, 0) = value
      else cost is null and refund_amount is null end),
    check (status <> 'failed' or cost = 0),
    check ((refund_amount is null) = (refund_status is null)),
    check (refund_nonce is null or refund_amount is not null),
    ${table.checks}
  ) ${strict}`
}

const paymentIndexes: readonly string[] = [
  `create unique index payment_client_payment_id on payment (client_payment_id)
    where client_payment_id is not null`,
  `create unique index payment_settlement_proof
    on payment (settlement_transaction, settlement_log_index)
    where settlement_transaction is not null`,
  'create index payment_created on payment (created_at)',
  'create index payment_unfinished on payment (created_at, seq) where unfinished = 1',
  `create index payment_accruing on payment (chain_id, asset, payer, created_at)
    where refund_status = 'accruing'`,
  'create index payment_refund_nonce on payment (refund_nonce) where refund_nonce is not null',
]

function refundTransferTable({ whole, key, strict }: Words): string {
  return `create table payout (
    seq ${key},
    nonce text not null unique ${hexOf('nonce', 32)},
    version ${whole} not null check (version > 0),
    chain_id ${whole} not null,
    asset text not null ${hexOf('asset', 20)},
    payer text not null ${hexOf('payer', 20)},
    amount ${whole} not null check (amount > 0),
    sequence ${whole} check (sequence >= 0),
    status text not null check (status in (
      ${listed(refundTransferStatuses)})),
    valid_before ${whole},
    signature text,
    signed_at ${whole},
    transaction_hash text,
    proof_transaction text,
    proof_block ${whole},
    proof_block_hash text,
    proof_log_index ${whole},
    reason text,
    attempts ${whole} not null check (attempts >= 0),
    next_attempt_at ${whole} not null,
    lease_owner text,
    lease_until ${whole},
    created_at ${whole} not null,
    updated_at ${whole} not null,
    check (status not in ('signed') or signature is not null),
    check (status not in ('confirmed', 'final') or proof_transaction is not null),
    check ((proof_transaction is null) = (proof_log_index is null))
  ) ${strict}`
}

/** What differs between the versions of the table of entries. */
export type EntryTable = { readonly name: string; readonly accounts: readonly string[] }

export function entryTable({ whole, key, strict }: Words, { name, accounts }: EntryTable): string {
  return `create table ${name} (
      seq ${key},
      payment_seq ${whole} not null references payment (seq),
      debit text not null check (debit in (${listed(accounts)})),
      credit text not null check (credit in (${listed(accounts)})),
      amount ${whole} not null check (amount > 0),
      at ${whole} not null,
      check (debit <> credit)
    ) ${strict}`
}

function smallTables(words: Words): readonly string[] {
  const { whole, bytes, strict } = words
  return [
    `create unique index payout_proof on payout (proof_transaction, proof_log_index)
      where proof_transaction is not null`,
    `create unique index payout_sequence on payout (chain_id, asset, payer, sequence)
      where sequence is not null`,
    'create index payout_signed on payout (signed_at) where signed_at is not null',
    `create index payout_due on payout (next_attempt_at, seq)
      where status not in ('final', 'written_off')`,
    entryTable(words, { name: 'entry', accounts: firstAccounts }),
    'create index entry_payment on entry (payment_seq)',
    `create table dispatch (
      payment_seq ${whole} not null primary key references payment (seq),
      at ${whole} not null
    ) ${strict}`,
    `create table answer (
      payment_id text not null primary key references payment (id),
      status_code ${whole} not null,
      content_type text not null,
      body ${bytes} not null,
      expires_at ${whole} not null
    ) ${strict}`,
    'create index answer_expiry on answer (expires_at)',
    `create table heartbeat (
      id ${whole} not null primary key check (id = 1),
      beats ${whole} not null
    ) ${strict}`,
  ]
}
