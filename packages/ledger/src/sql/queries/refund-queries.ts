import { type Kysely, sql } from 'kysely'
import { maxBatchedPayments } from '../../refund/refund-transfer.ts'
import type { LedgerDatabase, SqlDialect } from '../schema/schema.ts'
import { hasSettlement } from './export-queries.ts'
import { type NarrowUpdate, narrowUpdate } from './narrow-update.ts'
import { compiled, place, type Query } from './query.ts'
import { insertInto, limitPlace } from './wide-statements.ts'

const fixedNames = ['nonce', 'chain_id', 'asset', 'payer', 'amount', 'sequence', 'created_at']
const stateNames = [
  'version',
  'status',
  'valid_before',
  'signature',
  'signed_at',
  'transaction_hash',
  'proof_transaction',
  'proof_block',
  'proof_block_hash',
  'proof_log_index',
  'reason',
  'attempts',
  'next_attempt_at',
  'lease_owner',
  'lease_until',
  'updated_at',
]

type Name =
  | 'insertRefund'
  | 'transfer'
  | 'transferTerms'
  | 'members'
  | 'lockMembers'
  | 'memberVersions'
  | 'leaseRefunds'
  | 'accruingPayers'
  | 'accruingOf'
  | 'nextSequence'

export function refundTransferQueries(
  db: Kysely<LedgerDatabase>,
  dialect: SqlDialect,
): Readonly<Record<Name, Query>> {
  const locks = dialect === 'postgres'
  const one = db
    .selectFrom('refund_transfer')
    .selectAll()
    .where('nonce', '=', place<string>('nonce'))
  const members = db.selectFrom('payment').where('refund_nonce', '=', place<string>('nonce'))
  return {
    insertRefund: compiled(
      'insertRefund',
      sql`${insertInto('refund_transfer', [...fixedNames, ...stateNames])}
        on conflict do nothing`.compile(db),
    ),
    transfer: compiled('transfer', one.compile()),
    transferTerms: compiled(
      'transferTerms',
      db
        .selectFrom('refund_transfer')
        .select(['nonce', 'payer', 'amount'])
        .where('nonce', '=', place<string>('nonce'))
        .compile(),
    ),
    // Sorted by the caller: SQLite would open a sorter, at several times the cost.
    members: compiled('members', members.select(['id', 'seq']).compile()),
    lockMembers: compiled(
      'lockMembers',
      members
        .selectAll()
        .$if(locks, (query) => query.forUpdate())
        .compile(),
    ),
    memberVersions: compiled(
      'memberVersions',
      members
        .select(['id', 'version', 'settlement_transaction'])
        .$if(locks, (query) => query.forUpdate())
        .compile(),
    ),
    leaseRefunds: leaseRefunds(db, dialect),
    ...batchQueries(db),
  }
}

/** Writes nothing when the row has another version. */
export function refundUpdate(db: Kysely<LedgerDatabase>): NarrowUpdate {
  const rest = sql`where nonce = ${place('nonce')} and version = ${place('before')}`
  return narrowUpdate(db, {
    name: 'updateRefund',
    table: 'refund_transfer',
    columns: stateNames,
    rest,
  })
}

function leaseRefunds(db: Kysely<LedgerDatabase>, dialect: SqlDialect): Query {
  const now = place<bigint>('now')
  return compiled(
    'leaseRefunds',
    db
      .with('due', (query) =>
        query
          .selectFrom('refund_transfer')
          .select('seq')
          .where(sql<boolean>`status not in ('final', 'written_off')`)
          .where('next_attempt_at', '<=', now)
          .where(({ or, eb }) => or([eb('lease_until', 'is', null), eb('lease_until', '<=', now)]))
          .orderBy('next_attempt_at')
          .orderBy('seq')
          .limit(limitPlace)
          .$if(dialect === 'postgres', (due) => due.forUpdate().skipLocked()),
      )
      .updateTable('refund_transfer')
      .set({ lease_owner: place<string>('owner'), lease_until: place<bigint>('until') })
      .where('seq', 'in', (query) => query.selectFrom('due').select('due.seq'))
      .returningAll()
      .compile(),
  )
}

function batchQueries(
  db: Kysely<LedgerDatabase>,
): Readonly<Record<'accruingPayers' | 'accruingOf' | 'nextSequence', Query>> {
  const accruing = db
    .selectFrom('payment')
    .where(sql<boolean>`refund_status = 'accruing'`)
    .where(hasSettlement('payment'))
  const ofPayer = {
    chain: place<bigint>('chain_id'),
    asset: place<string>('asset'),
    payer: place<string>('payer'),
  }
  return {
    accruingPayers: compiled(
      'accruingPayers',
      accruing
        .select(['chain_id', 'asset', 'payer'])
        .groupBy(['chain_id', 'asset', 'payer'])
        .having(
          sql<boolean>`min(created_at) <= ${place('created_until')}
            or sum(refund_amount) >= ${place('least')}`,
        )
        .orderBy((eb) => eb.fn.min('created_at'))
        .limit(limitPlace)
        .compile(),
    ),
    accruingOf: compiled(
      'accruingOf',
      accruing
        .selectAll()
        .where('chain_id', '=', ofPayer.chain)
        .where('asset', '=', ofPayer.asset)
        .where('payer', '=', ofPayer.payer)
        .orderBy('created_at')
        // The sign keeps SQLite from reading all payments of the payer, which are in this order.
        .orderBy(sql`+seq`)
        .limit(maxBatchedPayments)
        .compile(),
    ),
    nextSequence: compiled(
      'nextSequence',
      db
        .selectFrom('refund_transfer')
        .select((eb) => eb.fn.count<bigint>('sequence').as('sequence'))
        .where('sequence', 'is not', null)
        .where('chain_id', '=', ofPayer.chain)
        .where('asset', '=', ofPayer.asset)
        .where('payer', '=', ofPayer.payer)
        .compile(),
    ),
  }
}
