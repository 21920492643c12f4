import { type Kysely, sql } from 'kysely'
import { maxPayerFaults } from '../../store/ledger-store.ts'
import type { LedgerDatabase } from '../schema/schema.ts'
import { compiled, place, type Query } from './query.ts'
import { insertInto } from './wide-statements.ts'

type Name =
  | 'putPayerFault'
  | 'deletePayerFault'
  | 'payerFaults'
  | 'anyPayerFaults'
  | 'payerFaultsOf'
  | 'prunePayerFaults'

export function payerFaultQueries(db: Kysely<LedgerDatabase>): Readonly<Record<Name, Query>> {
  const faults = db.selectFrom('payer_fault').selectAll()
  const lasting = faults
    .where('subject', '=', place<string>('subject'))
    .where('expires_at', '>', place<bigint>('now'))
  const columns = ['payment_id', 'subject', 'cause', 'expires_at']
  return {
    putPayerFault: compiled(
      'putPayerFault',
      sql`${insertInto('payer_fault', columns)} on conflict do nothing`.compile(db),
    ),
    deletePayerFault: compiled(
      'deletePayerFault',
      db
        .deleteFrom('payer_fault')
        .where('payment_id', '=', place<string>('payment_id'))
        .where('cause', '=', place<string>('cause'))
        .compile(),
    ),
    payerFaults: compiled(
      'payerFaults',
      lasting.orderBy('expires_at', 'desc').limit(maxPayerFaults).compile(),
    ),
    // SQLite compiles a statement again each time if it has an order, or a parameter as its limit.
    anyPayerFaults: compiled(
      'anyPayerFaults',
      lasting.limit(sql.lit(maxPayerFaults + 1)).compile(),
    ),
    payerFaultsOf: compiled(
      'payerFaultsOf',
      faults.where('payment_id', '=', place<string>('payment_id')).compile(),
    ),
    prunePayerFaults: compiled(
      'prunePayerFaults',
      db.deleteFrom('payer_fault').where('expires_at', '<=', place<bigint>('now')).compile(),
    ),
  }
}
