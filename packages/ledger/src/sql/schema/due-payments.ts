import type { SqlDialect } from './schema.ts'

/** When a payment may be leased; zero without a lease. An index serves only these words. */
export const leaseEnd = 'coalesce(lease_until, 0)'

/**
 * A round reads the unfinished payments that are due, and not all those that others work on or that
 * wait for more confirmations.
 */
export function duePayments(dialect: SqlDialect): readonly string[] {
  return [
    // A large ledger takes longer than a statement may take otherwise.
    ...(dialect === 'postgres' ? ['set local statement_timeout = 0'] : []),
    'drop index payment_unfinished',
    `create index payment_unfinished on payment ((${leaseEnd}), created_at, seq)
      where unfinished = 1`,
  ]
}
