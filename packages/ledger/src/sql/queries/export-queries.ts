import { type CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely'
import type { RefundTransfer } from '../../refund/refund-transfer.ts'
import { laterMigration } from '../schema/migrations.ts'
import type { LedgerDatabase } from '../schema/schema.ts'
import { compiled, place, type Query } from './query.ts'

/** How many rows an export reads at a time. */
export const exportPage = 500

type Name =
  | 'exportPayments'
  | 'exportEntries'
  | 'exportRefunds'
  | 'refundedSince'
  | 'outstanding'
  | 'unsent'
  | 'accruing'
  | 'beat'
  | 'touchPayments'
  | 'laterMigration'

export function exportQueries(db: Kysely<LedgerDatabase>): Readonly<Record<Name, Query>> {
  const after = place<bigint>('after')
  const last = place<bigint>('last')
  return {
    exportPayments: compiled(
      'exportPayments',
      db
        .selectFrom('payment')
        .selectAll()
        .where('seq', '>', after)
        .orderBy('seq')
        .limit(exportPage)
        .compile(),
    ),
    exportEntries: compiled(
      'exportEntries',
      db
        .selectFrom('entry')
        .innerJoin('payment', 'payment.seq', 'entry.payment_seq')
        .selectAll('entry')
        .select('payment.id as payment_id')
        .where('entry.payment_seq', '>', after)
        .where('entry.payment_seq', '<=', last)
        .orderBy('entry.seq')
        .compile(),
    ),
    exportRefunds: compiled(
      'exportRefunds',
      db
        .selectFrom('refund_transfer')
        .selectAll()
        .where('seq', '>', after)
        .orderBy('seq')
        .limit(exportPage)
        .compile(),
    ),
    ...totals(db),
    beat: compiled(
      'beat',
      sql`insert into heartbeat (id, beats) values (1, 1)
        on conflict (id) do update set beats = heartbeat.beats + 1`.compile(db),
    ),
    touchPayments: compiled(
      'touchPayments',
      sql`update payment set version = version where seq = 0`.compile(db),
    ),
    laterMigration: compiled('laterMigration', laterMigration.compile(db)),
  }
}

/** Written so that no planner prefers the index of all proofs. */
export function hasSettlement(payment: string): RawBuilder<boolean> {
  return sql<boolean>`coalesce(${sql.ref(`${payment}.settlement_transaction`)}, '') <> ''`
}

// Sums are cast to 64-bit numbers: PostgreSQL would return decimals.
function totals(
  db: Kysely<LedgerDatabase>,
): Readonly<Record<'refundedSince' | 'outstanding' | 'unsent' | 'accruing', Query>> {
  const since = place<bigint>('since')
  return {
    refundedSince: compiled(
      'refundedSince',
      db
        .selectFrom('refund_transfer')
        .select(sql<bigint>`cast(coalesce(sum(amount), 0) as bigint)`.as('total'))
        .where('signed_at', '>=', since)
        .compile(),
    ),
    outstanding: compiled('outstanding', owedIn(db, ['confirmed'])),
    unsent: compiled('unsent', owedIn(db, ['confirmed', 'signed', 'submitted'])),
    accruing: compiled(
      'accruing',
      db
        .selectFrom('payment')
        .select(sql<bigint>`cast(coalesce(sum(refund_amount), 0) as bigint)`.as('total'))
        .where(sql<boolean>`refund_status = 'accruing'`)
        .where(hasSettlement('payment'))
        .compile(),
    ),
  }
}

/**
 * A partial index covers open transfers only, so refunds paid long ago are not read. The payments
 * of each are looked up: from a join, a planner may read all payments.
 */
function owedIn(
  db: Kysely<LedgerDatabase>,
  not: readonly RefundTransfer['status'][],
): CompiledQuery {
  const refunds = sql`select sum(refund_amount) from payment
    where payment.refund_nonce = refund_transfer.nonce and ${hasSettlement('payment')}`
  return sql`select cast(coalesce(sum((${refunds})), 0) as bigint) as total from refund_transfer
    where status not in ('final', 'written_off')
    and status not in (${sql.join(not.map((status) => sql.lit(status)))})`.compile(db)
}
