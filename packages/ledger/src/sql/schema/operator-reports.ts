import { withoutTimeout, wordsOf } from './create-tables.ts'
import type { SqlDialect } from './schema.ts'

/** Payments that ended without a sale; the indexes of open ones cover the other rare states. */
export const endedUnsold = "status in ('failed', 'void')"

/** Refund transfers that have not reached their payee. */
export const refundIsPending = "status not in ('confirmed', 'final')"

/**
 * Indexes for what an operator searches, and the kept revenue of each day that is over. The index of
 * revenue is in order of time, as its entries are, so a commit appends to it.
 */
export function operatorReports(dialect: SqlDialect): readonly string[] {
  const { whole, strict } = wordsOf(dialect)
  return [
    ...withoutTimeout(dialect),
    'create index payment_payer on payment (payer, created_at)',
    'create index payment_model on payment (model, created_at)',
    `create index payment_ended_unsold on payment (status, created_at) where ${endedUnsold}`,
    `create index payout_pending on payout (status, created_at, amount) where ${refundIsPending}`,
    `create index entry_revenue on entry (at, payment_seq, amount) where credit = 'revenue'`,
    `create table daily_revenue (
      day ${whole} not null,
      model text not null,
      payments ${whole} not null,
      revenue ${whole} not null,
      primary key (day, model)
    ) ${strict}`,
    `create table summed_day (day ${whole} not null primary key) ${strict}`,
  ]
}

/**
 * What providers bill, in addition to what is charged. It is not known for earlier payments and for
 * the days that were summed up before.
 */
export function providerCosts(dialect: SqlDialect): readonly string[] {
  const { whole } = wordsOf(dialect)
  return [
    `alter table payment add column provider_cost ${whole} check (provider_cost >= 0)`,
    `alter table daily_revenue add column provider_cost ${whole} not null default 0`,
    `alter table daily_revenue add column unknown_costs ${whole} not null default 0`,
    'update daily_revenue set unknown_costs = payments',
  ]
}
