import { accounts } from '../../book/ledger-entry.ts'
import { channelMovementKinds } from '../../channel/channel-movement.ts'
import { channelStatuses } from '../../channel/channel-record.ts'
import { hexOf, listed, type Words, wordsOf } from './create-tables.ts'
import type { SqlDialect } from './schema.ts'

/** Channels of which something may still be due. A partial index needs exactly this condition. */
export const isLive = "status <> 'closed'"

/** The tables of payment channels, with the constraints that one row can express. */
export function channelTables(dialect: SqlDialect): readonly string[] {
  const words = wordsOf(dialect)
  return [
    channelTable(words),
    ...channelIndexes,
    useTable(words),
    'create index channel_use_payment on channel_use (payment_id)',
    ...movementTables(words),
  ]
}

/**
 * What is claimed was charged, and a signature covers what was charged or may be. The escrow is not
 * compared with it: the chain may pay it out without asking.
 */
function channelTable({ whole, key, strict }: Words): string {
  return `create table channel (
    seq ${key},
    id text not null unique ${hexOf('id', 32)},
    chain_id ${whole} not null,
    payer text not null ${hexOf('payer', 20)},
    payer_authorizer text not null ${hexOf('payer_authorizer', 20)},
    receiver text not null ${hexOf('receiver', 20)},
    receiver_authorizer text not null ${hexOf('receiver_authorizer', 20)},
    token text not null ${hexOf('token', 20)},
    withdraw_delay ${whole} not null check (withdraw_delay >= 0),
    salt text not null ${hexOf('salt', 32)},
    status text not null check (status in (${listed(channelStatuses)})),
    reason text,
    version ${whole} not null check (version > 0),
    deposited ${whole} not null check (deposited >= 0),
    returned ${whole} not null check (returned >= 0),
    charged ${whole} not null check (charged >= 0),
    reserved ${whole} not null check (reserved >= 0),
    signed ${whole} not null,
    signature text ${hexOf('signature', 65)},
    claimed ${whole} not null check (claimed >= 0),
    unclaimed_since ${whole},
    refund_nonce ${whole} not null check (refund_nonce >= 0),
    withdraw_at ${whole},
    seen_block ${whole} not null,
    turn_digest text,
    turn_max ${whole},
    turn_until ${whole},
    lease_owner text,
    lease_until ${whole},
    last_call_at ${whole} not null,
    created_at ${whole} not null,
    updated_at ${whole} not null,
    check (claimed <= charged),
    check (charged + reserved <= signed),
    check ((signed = 0) = (signature is null)),
    check ((charged = claimed) = (unclaimed_since is null)),
    check ((status = 'frozen') = (reason is not null)),
    check ((turn_digest is null) = (turn_max is null)),
    check ((turn_digest is null) = (turn_until is null))
  ) ${strict}`
}

/** None has a column that every call changes, so that a call does not rewrite them. */
const channelIndexes: readonly string[] = [
  `create index channel_live on channel (created_at) where ${isLive}`,
  `create index channel_unclaimed on channel (unclaimed_since)
    where unclaimed_since is not null`,
  'create index channel_withdrawal on channel (withdraw_at) where withdraw_at is not null',
  `create index channel_closing on channel (seq) where status = 'closing'`,
  `create index channel_opening on channel (created_at) where status = 'opening'`,
]

/** One row for each voucher that a channel ever accepted: the primary key is what sells it once. */
function useTable({ whole, strict }: Words): string {
  return `create table channel_use (
    channel_seq ${whole} not null references channel (seq),
    max ${whole} not null check (max > 0),
    signature text not null ${hexOf('signature', 65)},
    payment_id text not null references payment (id) deferrable initially deferred,
    free ${whole} not null check (free in (0, 1)),
    published ${whole} not null check (published in (0, 1)),
    primary key (channel_seq, max),
    check (free = 0 or published = 0)
  ) ${strict}`
}

function movementTables({ whole, key, strict }: Words): readonly string[] {
  return [
    `create table channel_movement (
      seq ${key},
      kind text not null check (kind in (${listed(channelMovementKinds)})),
      chain_id ${whole} not null,
      channel_id text references channel (id),
      amount ${whole} not null check (amount > 0),
      proof_transaction text not null,
      proof_block ${whole} not null,
      proof_block_hash text not null,
      proof_log_index ${whole} not null,
      lost ${whole} not null check (lost in (0, 1)),
      at ${whole} not null,
      check ((kind = 'settle') = (channel_id is null))
    ) ${strict}`,
    `create unique index channel_movement_proof
      on channel_movement (proof_transaction, proof_log_index) where lost = 0`,
    `create index channel_movement_lost
      on channel_movement (proof_transaction, proof_log_index) where lost = 1`,
    'create index channel_movement_channel on channel_movement (channel_id)',
    `create index channel_movement_block on channel_movement (chain_id, proof_block)
      where lost = 0`,
    'create index channel_movement_sum on channel_movement (kind, amount) where lost = 0',
    `create table channel_entry (
      seq ${key},
      movement_seq ${whole} not null references channel_movement (seq),
      debit text not null check (debit in (${listed(accounts)})),
      credit text not null check (credit in (${listed(accounts)})),
      amount ${whole} not null check (amount > 0),
      at ${whole} not null,
      check (debit <> credit)
    ) ${strict}`,
    'create index channel_entry_movement on channel_entry (movement_seq)',
  ]
}
