import { type Kysely, type RawBuilder, sql } from 'kysely'
import { inFlight } from '../schema/bound-payers.ts'
import type { LedgerDatabase, SqlDialect } from '../schema/schema.ts'
import { leaseEnd } from '../schema/steady-rounds.ts'
import { type NarrowUpdate, narrowUpdate } from './narrow-update.ts'
import { compiled, place, type Query } from './query.ts'
import {
  assignments,
  insertInto,
  insertSelected,
  limitPlace,
  textOf,
  wholeOf,
} from './wide-statements.ts'

const claimNames = [
  'id',
  'network',
  'chain_id',
  'asset',
  'payer',
  'pay_to',
  'value',
  'nonce',
  'valid_after',
  'valid_before',
  'request_digest',
  'resource',
  'price_version',
  'intent_block',
  'created_at',
  'kind',
  'channel_id',
]
const stateNames = [
  'version',
  'status',
  'payload',
  'client_payment_id',
  'settlement_hint',
  'settlement_transaction',
  'settlement_block',
  'settlement_block_hash',
  'settlement_log_index',
  'settlement_final',
  'model',
  'cost',
  'usage',
  'provider_cost',
  'refund_amount',
  'refund_status',
  'refund_nonce',
  'refund_transaction',
  'reason',
  'unfinished',
  'updated_at',
]
const wholeNames: ReadonlySet<string> = new Set([
  'chain_id',
  'value',
  'valid_after',
  'valid_before',
  'intent_block',
  'created_at',
  'version',
  'settlement_block',
  'settlement_log_index',
  'settlement_final',
  'cost',
  'provider_cost',
  'refund_amount',
  'unfinished',
  'updated_at',
  'lease_until',
])

const claimed = [...claimNames, ...stateNames, 'lease_owner', 'lease_until']

/** Without `returning`, which makes an insertion into SQLite cost twice as much. */
const insertClaimed = sql`${insertInto('payment', claimed)} on conflict do nothing`

type Name =
  | 'insertPayment'
  | 'insertPaymentWithin'
  | 'openPayments'
  | 'undecidedFrom'
  | 'payerSpending'
  | 'payment'
  | 'paymentByAuthorization'
  | 'claimOf'
  | 'paymentByClientId'
  | 'lockPayment'
  | 'leasePayment'
  | 'leaseUnfinished'
  | 'insertEntry'
  | 'insertDispatch'
  | 'putAnswer'
  | 'answer'
  | 'pruneAnswers'
  | 'pruneUnpaid'

export function paymentQueries(
  db: Kysely<LedgerDatabase>,
  dialect: SqlDialect,
): Readonly<Record<Name, Query>> & { readonly fits: Query | null } {
  const payments = db.selectFrom('payment').selectAll()
  const one = payments.where('id', '=', place<string>('id'))
  const byAuthorization = db
    .selectFrom('payment')
    .where('chain_id', '=', place<bigint>('chain_id'))
    .where('asset', '=', place<string>('asset'))
    .where('payer', '=', place<string>('payer'))
    .where('nonce', '=', place<string>('nonce'))
  return {
    insertPayment: compiled('insertPayment', insertClaimed.compile(db)),
    ...claimsWithin(db, dialect),
    openPayments: compiled('openPayments', openPayments(dialect).compile(db)),
    undecidedFrom: compiled('undecidedFrom', undecidedFrom(dialect).compile(db)),
    payerSpending: compiled('payerSpending', payerSpending.compile(db)),
    payment: compiled('payment', one.compile()),
    paymentByAuthorization: compiled(
      'paymentByAuthorization',
      byAuthorization.selectAll().compile(),
    ),
    claimOf: compiled('claimOf', byAuthorization.select('reason').compile()),
    paymentByClientId: compiled(
      'paymentByClientId',
      payments.where('client_payment_id', '=', place<string>('client_payment_id')).compile(),
    ),
    lockPayment: compiled(
      'lockPayment',
      one.$if(dialect === 'postgres', (query) => query.forUpdate()).compile(),
    ),
    ...paymentLeases(db, dialect),
    insertEntry: compiled('insertEntry', insertEntry.compile(db)),
    insertDispatch: compiled('insertDispatch', insertDispatch.compile(db)),
    ...answerQueries(db),
    pruneUnpaid: compiled('pruneUnpaid', pruneUnpaid.compile(db)),
  }
}

const seqOfPayment = sql`(select seq from payment where id = ${place('payment_id')})`

const insertEntry = sql`insert into entry (payment_seq, debit, credit, amount, at) values
  (${seqOfPayment}, ${place('debit')}, ${place('credit')}, ${place('amount')}, ${place('at')})`

const insertDispatch = sql`insert into dispatch (payment_seq, at)
  values (${seqOfPayment}, ${place('at')})`

const isVersion = sql`id = ${place('id')} and version = ${place('before')}`

/** Finds nothing when the row has another version. */
export function paymentUpdate(db: Kysely<LedgerDatabase>): NarrowUpdate {
  const rest = sql`where ${isVersion} returning lease_owner, lease_until`
  return narrowUpdate(db, { name: 'updatePayment', table: 'payment', columns: stateNames, rest })
}

/**
 * The same for a row whose lease is known. SQLite makes a table for what an update returns, at half
 * of its cost. Null for PostgreSQL, which does not.
 */
export function leasedPaymentUpdate(
  db: Kysely<LedgerDatabase>,
  dialect: SqlDialect,
): NarrowUpdate | null {
  if (dialect === 'postgres') return null
  const rest = sql`where ${isVersion}
    and lease_owner is ${place('lease_owner')} and lease_until is ${place('lease_until')}`
  const name = 'updateLeasedPayment'
  return narrowUpdate(db, { name, table: 'payment', columns: stateNames, rest })
}

/** An answer or a fault that is still kept also keeps its payment. */
const pruneUnpaid = sql`delete from payment where seq in (
  select seq from payment as ended where ended.status = 'void' and ended.updated_at < ${place('before')}
  and not exists (select 1 from entry where entry.payment_seq = ended.seq)
  and not exists (select 1 from dispatch where dispatch.payment_seq = ended.seq)
  and not exists (select 1 from answer where answer.payment_id = ended.id)
  and not exists (select 1 from payer_fault where payer_fault.payment_id = ended.id)
  order by ended.updated_at limit 1000)`

const ofPayer = sql<boolean>`chain_id = ${place('chain_id')} and asset = ${place('asset')}
  and payer = ${place('payer')}`

/**
 * Few payments are open at a time, and a payer is asked about only when its balance is too low.
 * SQLite, which has no statistics, would read all that the payer ever bought.
 */
function openPayments(dialect: SqlDialect): RawBuilder<unknown> {
  const by = (index: string) => sql.raw(dialect === 'sqlite' ? `indexed by ${index}` : '')
  const unfinished = unfinishedOfPayer(dialect)
  return sql`select
    (select count(*) from ${unfinished} and status = 'rejected') as rejected,
    (select count(*) from ${unfinished} and status <> 'rejected')
    + (select count(*) from payment ${by('payment_accruing')}
      where ${ofPayer} and refund_status = 'accruing')
    + (select count(*) from refund_transfer ${by('refund_transfer_due')}
      where ${ofPayer} and status not in ('final', 'written_off')) as others`
}

function unfinishedOfPayer(dialect: SqlDialect): RawBuilder<unknown> {
  const index = sql.raw(dialect === 'sqlite' ? 'indexed by payment_unfinished' : '')
  return sql`payment ${index} where ${ofPayer} and unfinished = 1`
}

/** A payment that was served is unfinished without a settlement if that vanished. */
function undecidedFrom(dialect: SqlDialect): RawBuilder<unknown> {
  return sql`select min(intent_block) as block from ${unfinishedOfPayer(dialect)}
    and (status not in ('completed', 'failed') or settlement_transaction is null)`
}

/** A deposit buys nothing by itself: the calls that it pays for are counted. */
const bought = sql<boolean>`${ofPayer} and status not in ('rejected', 'void')
  and kind <> 'channel_deposit'`

/** In the index of a payer's payments by time. */
const payerSpending = sql`select
  (select count(*) from payment where ${bought} and created_at >= ${place('requests_since')}) as requests,
  (select coalesce(min(created_at), 0) from payment
    where ${bought} and created_at >= ${place('requests_since')}) as first_request_at,
  (select cast(coalesce(sum(coalesce(cost, value)), 0) as bigint) from payment
    where ${bought} and created_at >= ${place('spent_since')}) as spent`

/**
 * The claim that the payer's balance has to cover besides what the payer has in flight. PostgreSQL
 * judges that in the insertion itself, where concurrent claims wait for each other. SQLite has one
 * writer, so it judges before the insertion: one that reads its own table is made through a
 * temporary table, at twice the cost.
 */
function claimsWithin(
  db: Kysely<LedgerDatabase>,
  dialect: SqlDialect,
): { readonly insertPaymentWithin: Query; readonly fits: Query | null } {
  const [chain, asset, payer] = [wholeOf('chain_id'), textOf('asset'), textOf('payer')]
  const [value, balance] = [wholeOf('value'), wholeOf('balance')]
  const name = 'insertPaymentWithin'
  if (dialect === 'postgres') {
    const insert = sql`${insertSelected('payment', claimed, wholeNames)}
      where farebox_fits(${chain}, ${asset}, ${payer}, ${value}, ${balance}) on conflict do nothing`
    return { insertPaymentWithin: compiled(name, insert.compile(db)), fits: null }
  }
  const fits = sql`select 1 where ${balance} - ${value} >=
    (select coalesce(sum(value), 0) from payment where chain_id = ${chain}
      and asset = ${asset} and payer = ${payer} and ${sql.raw(inFlight)})`
  return {
    insertPaymentWithin: compiled(name, insertClaimed.compile(db)),
    fits: compiled('fits', fits.compile(db)),
  }
}

function paymentLeases(
  db: Kysely<LedgerDatabase>,
  dialect: SqlDialect,
): Readonly<Record<'leasePayment' | 'leaseUnfinished', Query>> {
  const lease = {
    lease_owner: place<string>('owner'),
    lease_until: place<bigint>('until'),
  }
  const now = place<bigint>('now')
  // A replica whose clock is ahead takes over nothing that others still work on.
  const due =
    dialect === 'sqlite'
      ? sql`${now}`
      : sql`least(${now}, (extract(epoch from statement_timestamp()) * 1000)::bigint)`
  return {
    leasePayment: compiled(
      'leasePayment',
      db
        .updateTable('payment')
        .set(lease)
        .where('id', '=', place<string>('id'))
        .where(({ or, eb }) =>
          or([
            eb('lease_until', 'is', null),
            eb('lease_until', '<=', now),
            eb('lease_owner', '=', place<string>('owner')),
          ]),
        )
        .returningAll()
        .compile(),
    ),
    // A common table expression selects and locks the rows exactly once.
    leaseUnfinished: compiled(
      'leaseUnfinished',
      db
        .with('due', (query) =>
          query
            .selectFrom('payment')
            .select('seq')
            .where(sql<boolean>`unfinished = 1`)
            .where(sql<boolean>`${sql.raw(leaseEnd)} <= ${due}`)
            .orderBy(sql.raw(leaseEnd))
            .orderBy('created_at')
            .orderBy('seq')
            .limit(limitPlace)
            .$if(dialect === 'postgres', (due) => due.forUpdate().skipLocked()),
        )
        .updateTable('payment')
        .set(lease)
        .where('seq', 'in', (query) => query.selectFrom('due').select('due.seq'))
        .returningAll()
        .compile(),
    ),
  }
}

function answerQueries(
  db: Kysely<LedgerDatabase>,
): Readonly<Record<'putAnswer' | 'answer' | 'pruneAnswers', Query>> {
  const columns = ['payment_id', 'status_code', 'content_type', 'body', 'expires_at']
  return {
    putAnswer: compiled(
      'putAnswer',
      sql`${insertInto('answer', columns)} on conflict (payment_id) do update set
        ${assignments(columns.slice(1))}`.compile(db),
    ),
    answer: compiled(
      'answer',
      db
        .selectFrom('answer')
        .selectAll()
        .where('payment_id', '=', place<string>('id'))
        .where('expires_at', '>', place<bigint>('now'))
        .compile(),
    ),
    pruneAnswers: compiled(
      'pruneAnswers',
      db.deleteFrom('answer').where('expires_at', '<=', place<bigint>('now')).compile(),
    ),
  }
}
