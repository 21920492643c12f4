import { fixedOfRefundTransfer, forbid, sumOfRefunds } from './create-triggers.ts'
import { refundIsPending } from './operator-reports.ts'
import type { SqlDialect } from './schema.ts'

/**
 * The table of refund transfers gets the name that they have everywhere else. The rows stay where
 * they are. SQLite cannot rename an index, so it builds them again.
 */
export function renameRefundTransfers(dialect: SqlDialect): readonly string[] {
  return [
    ...triggers.map((name) =>
      dialect === 'sqlite' ? `drop trigger ${name}` : `drop trigger ${name} on payout`,
    ),
    ...(dialect === 'sqlite' ? [] : ['drop function farebox_payout_is_the_sum']),
    'alter table payout rename to refund_transfer',
    ...(dialect === 'sqlite' ? rebuiltIndexes : renamedIndexes),
    ...rules.map((rule) => forbid(dialect, rule)),
    ...sumOfRefunds(dialect, table, 'a refund transfer is the sum of its refunds'),
  ]
}

const table = 'refund_transfer'
const triggers = ['payout_is_kept', 'payout_is_frozen', 'payout_is_the_sum']

const rules: readonly Parameters<typeof forbid>[1][] = [
  {
    name: `${table}_is_kept`,
    table,
    on: 'delete',
    because: 'a row of refund_transfer is never deleted',
  },
  {
    name: `${table}_is_frozen`,
    table,
    ...fixedOfRefundTransfer,
    because: 'nonce, payee and amount of a refund transfer do not change',
  },
]

const rebuiltIndexes: readonly string[] = [
  ...['proof', 'sequence', 'signed', 'due', 'pending'].map((name) => `drop index payout_${name}`),
  `create unique index refund_transfer_proof on refund_transfer (proof_transaction, proof_log_index)
    where proof_transaction is not null`,
  `create unique index refund_transfer_sequence
    on refund_transfer (chain_id, asset, payer, sequence) where sequence is not null`,
  `create index refund_transfer_signed on refund_transfer (signed_at, amount)
    where signed_at is not null`,
  `create index refund_transfer_due on refund_transfer (next_attempt_at, seq)
    where status not in ('final', 'written_off')`,
  `create index refund_transfer_pending on refund_transfer (status, created_at, amount)
    where ${refundIsPending}`,
]

const renamedIndexes: readonly string[] = [
  ...['pkey', 'nonce_key', 'proof', 'sequence', 'signed', 'due', 'pending'].map(
    (name) => `alter index payout_${name} rename to refund_transfer_${name}`,
  ),
]
