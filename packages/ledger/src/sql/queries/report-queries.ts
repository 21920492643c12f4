import { type Kysely, type RawBuilder, sql } from 'kysely'
import { type PaymentStatus, paymentStatuses } from '../../payment/payment-record.ts'
import {
  maxPaymentsOfTransaction,
  type PaymentSearch,
  type PendingRefundStatus,
  pendingRefundStatuses,
} from '../../store/ledger-reports.ts'
import { endedUnsold, refundIsPending } from '../schema/operator-reports.ts'
import type { LedgerDatabase, SqlDialect } from '../schema/schema.ts'
import { hasSettlement } from './export-queries.ts'
import { compiled, place, type Query } from './query.ts'
import { limitPlace } from './wide-statements.ts'

type Name =
  | 'entriesOf'
  | 'paymentsSettledBy'
  | 'paymentsRefundedBy'
  | 'paymentsBeingRefundedBy'
  | 'pendingRefundTotals'
  | 'held'
  | 'summedDays'
  | 'keptRevenue'
  | 'allKept'
  | 'revenueOf'
  | 'keepRevenue'
  | 'keptHours'
  | 'keepHour'
  | 'dropHours'
  | 'keepDay'

export type ReportQueries = Readonly<Record<Name, Query>> & {
  /** By `searchName`. */
  readonly paymentSearches: ReadonlyMap<string, Query>
  readonly refundSearches: ReadonlyMap<PendingRefundStatus, Query>
}

export function reportQueries(db: Kysely<LedgerDatabase>, dialect: SqlDialect): ReportQueries {
  return {
    paymentSearches: paymentSearches(db, dialect),
    refundSearches: refundSearches(db),
    entriesOf: compiled(
      'entriesOf',
      sql`select entry.*, payment.id as payment_id from payment cross join entry
        where payment.id = ${place('id')} and entry.payment_seq = payment.seq
        order by entry.seq`.compile(db),
    ),
    ...transactionQueries(db),
    pendingRefundTotals: compiled(
      'pendingRefundTotals',
      sql`select status, count(*) as transfers, cast(sum(amount) as bigint) as amount
        from refund_transfer where ${sql.raw(refundIsPending)} group by status order by status`.compile(
        db,
      ),
    ),
    held: compiled(
      'held',
      sql`select
          cast(coalesce(sum(case when reason is null then value end), 0) as bigint) as liability,
          cast(coalesce(sum(case when reason is not null then value end), 0) as bigint) as suspense
        from payment where unfinished = 1 and status in ('settled', 'serving')
        and ${hasSettlement('payment')}`.compile(db),
    ),
    ...revenueQueries(db),
  }
}

/** The name of the statement for a set of filters. */
export function searchName({
  payer,
  model,
  status,
}: Pick<PaymentSearch, 'payer' | 'model' | 'status'>): string {
  const filters = [payer !== undefined && 'payer', model !== undefined && 'model', status]
  return ['search', ...filters.filter(Boolean)].join(' ')
}

/** One statement for each set of filters, so that each uses its own index. */
function paymentSearches(
  db: Kysely<LedgerDatabase>,
  dialect: SqlDialect,
): ReadonlyMap<string, Query> {
  const at = place('at')
  const places = (name: 'payer' | 'model') => [
    { text: sql`${sql.ref(name)} = ${place(name)} and`, filter: { [name]: '0x' } },
    { text: sql``, filter: {} },
  ]
  const searches = new Map<string, Query>()
  for (const status of [undefined, ...paymentStatuses]) {
    for (const payer of places('payer')) {
      for (const model of places('model')) {
        const name = searchName({ status, ...payer.filter, ...model.filter })
        const index = sql.raw(indexOf(name, dialect))
        const text = sql`select * from payment ${index} where ${payer.text} ${model.text} ${inStatus(status, dialect)}
          created_at >= ${place('from')} and (created_at, id) < (${at}, ${place('id')})
          order by created_at desc, id desc limit ${limitPlace}`
        searches.set(name, compiled(name, text.compile(db)))
      }
    }
  }
  return searches
}

/**
 * Without statistics SQLite would read the failed payments of all payers, or all payments in order
 * of time to find the few unfinished ones.
 */
function indexOf(search: string, dialect: SqlDialect): string {
  if (dialect !== 'sqlite') return ''
  if (/\b(?:settling|unknown|settled|serving|rejected)$/.test(search)) {
    return 'indexed by payment_unfinished'
  }
  const isOfPayer = /^search payer .*\b(?:failed|void)$/.test(search)
  return isOfPayer ? 'indexed by payment_payer_unsold' : ''
}

/**
 * Words instead of a place, because a partial index serves only a statement that implies it. SQLite
 * has to read the index's own condition; PostgreSQL would count it as another filter, and expect
 * too few rows.
 */
function inStatus(status: PaymentStatus | undefined, dialect: SqlDialect) {
  switch (status) {
    case undefined:
      return sql``
    case 'settling':
    case 'unknown':
    case 'settled':
    case 'serving':
    case 'rejected':
      return sql`status = ${sql.lit(status)} and unfinished = 1 and`
    case 'failed':
    case 'void':
      return dialect === 'sqlite'
        ? sql`status = ${sql.lit(status)} and ${sql.raw(endedUnsold)} and`
        : sql`status = ${sql.lit(status)} and`
    case 'completed':
      return sql`status = 'completed' and`
  }
}

function refundSearches(db: Kysely<LedgerDatabase>): ReportQueries['refundSearches'] {
  const at = place('at')
  return new Map(
    pendingRefundStatuses.map((status) => {
      const text = sql`select * from refund_transfer
        where status = ${sql.lit(status)} and ${sql.raw(refundIsPending)}
        and created_at >= ${at} and (created_at > ${at} or nonce > ${place('nonce')})
        order by created_at, nonce limit ${limitPlace}`
      return [status, compiled(`refunds ${status}`, text.compile(db))]
    }),
  )
}

/** A transfer that is not final is found among the open ones, a final one by its proof. */
function transactionQueries(db: Kysely<LedgerDatabase>) {
  const transaction = place('transaction')
  const limit = sql.lit(maxPaymentsOfTransaction)
  return {
    paymentsSettledBy: compiled(
      'paymentsSettledBy',
      sql`select * from payment where settlement_transaction = ${transaction}
        order by seq limit ${limit}`.compile(db),
    ),
    paymentsRefundedBy: compiled(
      'paymentsRefundedBy',
      sql`select payment.* from refund_transfer cross join payment
        where refund_transfer.proof_transaction = ${transaction}
        and payment.refund_nonce = refund_transfer.nonce limit ${limit}`.compile(db),
    ),
    paymentsBeingRefundedBy: compiled(
      'paymentsBeingRefundedBy',
      sql`select payment.* from refund_transfer cross join payment
        where refund_transfer.status not in ('final', 'written_off')
        and refund_transfer.transaction_hash = ${transaction}
        and payment.refund_nonce = refund_transfer.nonce limit ${limit}`.compile(db),
    ),
  }
}

function revenueQueries(db: Kysely<LedgerDatabase>) {
  const [from, to, day] = [place('from'), place('to'), place('day')]
  return {
    summedDays: compiled(
      'summedDays',
      sql`select day from summed_day where day >= ${from} and day < ${to}`.compile(db),
    ),
    keptRevenue: compiled(
      'keptRevenue',
      sql`select * from daily_revenue where day >= ${from} and day < ${to}`.compile(db),
    ),
    // One statement, so that a day is kept with all its sums or not at all.
    allKept: compiled(
      'allKept',
      sql`select summed_day.day as summed, daily_revenue.* from summed_day
        left join daily_revenue on daily_revenue.day = summed_day.day`.compile(db),
    ),
    // A cross join keeps SQLite from starting with the payments. Revenue is only ever credited.
    revenueOf: compiled(
      'revenueOf',
      sql`select payment.model as model, count(*) as payments,
          cast(sum(entry.amount) as bigint) as revenue,
          cast(coalesce(sum(payment.provider_cost), 0) as bigint) as provider_cost,
          count(*) - count(payment.provider_cost) as unknown_costs
        from entry cross join payment
        where entry.credit = 'revenue' and entry.at >= ${from} and entry.at < ${to}
        and payment.seq = entry.payment_seq group by payment.model`.compile(db),
    ),
    keepRevenue: compiled('keepRevenue', kept('daily_revenue', 'day').compile(db)),
    keptHours: compiled(
      'keptHours',
      sql`select * from hourly_revenue where hour >= ${from} and hour < ${to}`.compile(db),
    ),
    keepHour: compiled('keepHour', kept('hourly_revenue', 'hour').compile(db)),
    dropHours: compiled(
      'dropHours',
      sql`delete from hourly_revenue where hour < ${place('before')}`.compile(db),
    ),
    keepDay: compiled(
      'keepDay',
      sql`insert into summed_day (day) values (${day}) on conflict do nothing`.compile(db),
    ),
  }
}

function kept(
  table: 'daily_revenue' | 'hourly_revenue',
  start: 'day' | 'hour',
): RawBuilder<unknown> {
  return sql`insert into ${sql.table(table)}
      (${sql.ref(start)}, model, payments, revenue, provider_cost, unknown_costs)
    values (${place('start')}, ${place('model')}, ${place('payments')}, ${place('revenue')},
      ${place('provider_cost')}, ${place('unknown_costs')})
    on conflict do nothing`
}
