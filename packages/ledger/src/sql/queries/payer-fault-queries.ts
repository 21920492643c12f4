import { type Kysely, sql } from 'kysely'
import type { LedgerDatabase } from '../schema/schema.ts'
import { compiled, place, type Query } from './query.ts'
import { insertInto } from './wide-statements.ts'

type Name =
  | 'putPayerFault'
  | 'deletePayerFault'
  | 'payerFaults'
  | 'payerFaultsOf'
  | 'prunePayerFaults'

export function payerFaultQueries(db: Kysely<LedgerDatabase>): Readonly<Record<Name, Query>> {
  const faults = db.selectFrom('payer_fault').selectAll()
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
      faults
        .where('subject', '=', place<string>('subject'))
        .where('expires_at', '>', place<bigint>('now'))
        .orderBy('expires_at', 'desc')
        .limit(place<bigint>('limit'))
        .compile(),
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
