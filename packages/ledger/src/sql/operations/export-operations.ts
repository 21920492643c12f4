import type { OnCorruptRow } from '../../payment/ledger-error.ts'
import type { RefundTransfer } from '../../refund/refund-transfer.ts'
import type { ExportedPayment } from '../../store/ledger-store.ts'
import { exportPage } from '../queries/export-queries.ts'
import type { Queries } from '../queries/queries.ts'
import { type Operation, type Row, rowsOf } from '../queries/query.ts'
import { entryIn, paymentIn } from '../rows/payment-row.ts'
import * as read from '../rows/read-row.ts'
import { type Page, readable } from './paged.ts'
import { refundsIn } from './refund-operations.ts'

export function* paymentPage(
  queries: Queries,
  after: bigint,
  onCorrupt?: OnCorruptRow,
): Operation<Page<ExportedPayment>> {
  const rows = yield* rowsOf(queries.exportPayments, { after })
  const last = lastOf(rows, after)
  const entries = readable(
    yield* rowsOf(queries.exportEntries, { after, last }),
    entryIn,
    onCorrupt,
  )
  const byPayment = Map.groupBy(entries, ({ paymentId }) => paymentId)
  const items = readable(rows, paymentIn, onCorrupt).map((payment) => ({
    payment,
    entries: byPayment.get(payment.id) ?? [],
  }))
  return { items, next: nextOf(rows, last) }
}

export function* refundTransferPage(
  queries: Queries,
  after: bigint,
  onCorrupt?: OnCorruptRow,
): Operation<Page<RefundTransfer>> {
  const rows = yield* rowsOf(queries.exportRefunds, { after })
  const items = yield* refundsIn(queries, rows, onCorrupt)
  return { items, next: nextOf(rows, lastOf(rows, after)) }
}

export function lastOf(rows: readonly Row[], after: bigint): bigint {
  const last = rows.at(-1)
  return last === undefined ? after : read.amount(last, 'seq')
}

export function nextOf(rows: readonly Row[], last: bigint): bigint | null {
  return rows.length < exportPage ? null : last
}
