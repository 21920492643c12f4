import { withoutTimeout, wordsOf } from './create-tables.ts'
import { endedUnsold } from './operator-reports.ts'
import type { SqlDialect } from './schema.ts'

/**
 * Indexes that hold what rounds sum, so that repeated reads do not grow with the ledger, and one
 * for the failed payments of a payer with many purchases.
 */
export function steadyRounds(dialect: SqlDialect): readonly string[] {
  return [
    ...withoutTimeout(dialect),
    'drop index payment_accruing',
    `create index payment_accruing on payment
      (chain_id, asset, payer, created_at, refund_amount, settlement_transaction)
      where refund_status = 'accruing'`,
    'drop index payout_signed',
    'create index payout_signed on payout (signed_at, amount) where signed_at is not null',
    `create index payment_payer_unsold on payment (payer, status, created_at) where ${endedUnsold}`,
    ...movedSums(dialect),
  ]
}

/** When a payment may be leased; zero without a lease. An index serves only these words. */
export const leaseEnd = 'coalesce(lease_until, 0)'

/**
 * A round reads the unfinished payments that are due, and not all those that others work on or that
 * wait for more confirmations.
 */
export function duePayments(dialect: SqlDialect): readonly string[] {
  return [
    ...withoutTimeout(dialect),
    'drop index payment_unfinished',
    `create index payment_unfinished on payment ((${leaseEnd}), created_at, seq)
      where unfinished = 1`,
  ]
}

/** The claims and their payments add up to one row each. */
function movedSums(dialect: SqlDialect): readonly string[] {
  const { whole, strict } = wordsOf(dialect)
  return [
    `create table channel_sum (
      kind text not null primary key check (kind in ('claim', 'settle')),
      amount ${whole} not null
    ) ${strict}`,
    `insert into channel_sum (kind, amount)
      select kind, coalesce((select sum(amount) from channel_movement
        where channel_movement.kind = kinds.kind and lost = 0), 0)
      from (select 'claim' as kind union all select 'settle') as kinds`,
    ...(dialect === 'sqlite' ? sumsInSqlite : sumsInPostgres),
    'drop index channel_movement_sum',
  ]
}

const isSummed = "new.kind in ('claim', 'settle')"
const added = 'update channel_sum set amount = amount + new.amount where kind = new.kind'
const takenBack = 'update channel_sum set amount = amount - new.amount where kind = new.kind'

const sumsInSqlite: readonly string[] = [
  `create trigger channel_movement_is_summed after insert on channel_movement
    when new.lost = 0 and ${isSummed} begin ${added}; end`,
  `create trigger channel_movement_is_taken_back after update of lost on channel_movement
    when new.lost = 1 and old.lost = 0 and ${isSummed} begin ${takenBack}; end`,
]

const sumsInPostgres: readonly string[] = [
  `create function farebox_sum_movement() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then ${added}; else ${takenBack}; end if;
      return null;
    end $$`,
  `create trigger channel_movement_is_summed after insert on channel_movement for each row
    when (new.lost = 0 and ${isSummed}) execute function farebox_sum_movement()`,
  `create trigger channel_movement_is_taken_back after update of lost on channel_movement
    for each row when (new.lost = 1 and old.lost = 0 and ${isSummed})
    execute function farebox_sum_movement()`,
]
