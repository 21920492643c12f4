import type { LedgerEntry } from '../../book/ledger-entry.ts'
import type { OnCorruptRow } from '../../payment/ledger-error.ts'
import type { Hex, PaymentId, PaymentRecord } from '../../payment/payment-record.ts'
import type { RefundTransfer } from '../../refund/refund-transfer.ts'
import {
  type LedgerReports,
  maxPaymentsOfTransaction,
  type Owed,
  type PaymentSearch,
  type PendingRefundTotal,
  pendingRefundStatuses,
  type RefundSearch,
} from '../../store/ledger-reports.ts'
import type { Executor } from '../executor.ts'
import type { Queries } from '../queries/queries.ts'
import { type Operation, onlyRowOf, type Query, rowsOf, type Values } from '../queries/query.ts'
import { searchName } from '../queries/report-queries.ts'
import { entryIn, paymentIn } from '../rows/payment-row.ts'
import * as read from '../rows/read-row.ts'
import { channelTotals } from './channel-operations.ts'
import { readable } from './paged.ts'
import { refundsIn } from './refund-operations.ts'
import { keptRevenue, revenueByDay } from './revenue-operations.ts'

/** What an operator reads, over a database. */
export function sqlReports(queries: Queries, executor: Executor): LedgerReports {
  return {
    searchPayments: (search, onCorrupt) =>
      executor.read(() => searchPayments(queries, search, onCorrupt)),
    paymentsOfTransaction: (transaction) =>
      executor.read(() => paymentsOfTransaction(queries, transaction)),
    entriesOf: (id) => executor.read(() => entriesOf(queries, id)),
    searchRefunds: (search, onCorrupt) =>
      executor.read(() => searchRefunds(queries, search, onCorrupt)),
    pendingRefundTotals: () => executor.read(() => pendingRefundTotals(queries)),
    owed: () => executor.read(() => owed(queries)),
    revenueByDay: (period) => revenueByDay(queries, executor, period),
    keptRevenue: () => executor.read(() => keptRevenue(queries)),
  }
}

function* searchPayments(
  queries: Queries,
  search: PaymentSearch,
  onCorrupt?: OnCorruptRow,
): Operation<readonly PaymentRecord[]> {
  const { from, to, payer, model, status, after, limit } = search
  const values: Values = {
    from: BigInt(from),
    at: BigInt(after === undefined ? to : Math.min(after.createdAt, to)),
    // No id precedes the empty text, so the first page begins before `to`.
    id: after === undefined || after.createdAt >= to ? '' : after.id,
    limit: BigInt(limit),
    ...(payer !== undefined && { payer: payer.toLowerCase() }),
    ...(model !== undefined && { model }),
  }
  const query = found(queries.paymentSearches, searchName({ payer, model, status }))
  return readable(yield* rowsOf(query, values), paymentIn, onCorrupt)
}

function found<Name>(queries: ReadonlyMap<Name, Query>, name: Name): Query {
  const query = queries.get(name)
  if (query === undefined) throw new TypeError(`no statement is compiled for ${String(name)}`)
  return query
}

function* paymentsOfTransaction(queries: Queries, hash: Hex): Operation<readonly PaymentRecord[]> {
  const values = { transaction: hash.toLowerCase() }
  const settled = yield* rowsOf(queries.paymentsSettledBy, values)
  const refunded = yield* rowsOf(queries.paymentsRefundedBy, values)
  const sent = yield* rowsOf(queries.paymentsBeingRefundedBy, values)
  const all = new Map([...settled, ...refunded, ...sent].map(paymentIn).map((one) => [one.id, one]))
  return [...all.values()].slice(0, maxPaymentsOfTransaction)
}

function* entriesOf(queries: Queries, id: PaymentId): Operation<readonly LedgerEntry[]> {
  return (yield* rowsOf(queries.entriesOf, { id })).map(entryIn)
}

function* searchRefunds(
  queries: Queries,
  { status, after, limit }: RefundSearch,
  onCorrupt?: OnCorruptRow,
): Operation<readonly RefundTransfer[]> {
  const rows = yield* rowsOf(found(queries.refundSearches, status), {
    at: BigInt(after?.createdAt ?? 0),
    nonce: after?.nonce ?? '',
    limit: BigInt(limit),
  })
  return yield* refundsIn(queries, rows, onCorrupt)
}

function* pendingRefundTotals(queries: Queries): Operation<readonly PendingRefundTotal[]> {
  return (yield* rowsOf(queries.pendingRefundTotals)).map((row) => ({
    status: read.oneOf(row, 'status', pendingRefundStatuses),
    transfers: read.whole(row, 'transfers'),
    amount: read.amount(row, 'amount'),
  }))
}

function* owed(queries: Queries): Operation<Owed> {
  const held = yield* onlyRowOf(queries.held)
  const { deposited, returned, charged } = yield* channelTotals(queries)
  return {
    liability: read.amount(held, 'liability'),
    suspense: read.amount(held, 'suspense'),
    refundsPayable: read.amount(yield* onlyRowOf(queries.outstanding), 'total'),
    payerCredit: read.amount(yield* onlyRowOf(queries.accruing), 'total'),
    payerChannel: deposited - returned - charged,
  }
}
