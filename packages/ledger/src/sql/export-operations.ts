import type { LedgerEntry } from '../ledger-entry.ts'
import type { PaymentRecord } from '../payment-record.ts'
import type { Payout } from '../payout.ts'
import { exportPage } from './export-queries.ts'
import { entryIn, paymentIn } from './payment-row.ts'
import { withMembers } from './payout-operations.ts'
import type { Queries } from './queries.ts'
import { type Operation, type Row, rowsOf } from './query.ts'
import * as read from './read-row.ts'

/** One page of an export, and where the next begins; null after the last. */
export type Page<Item> = { readonly items: readonly Item[]; readonly next: bigint | null }

export type ExportedPayment = {
  readonly payment: PaymentRecord
  readonly entries: readonly LedgerEntry[]
}

export function* paymentPage(queries: Queries, after: bigint): Operation<Page<ExportedPayment>> {
  const rows = yield* rowsOf(queries.exportPayments, { after })
  const last = lastOf(rows, after)
  const entries = (yield* rowsOf(queries.exportEntries, { after, last })).map(entryIn)
  const byPayment = new Map<string, LedgerEntry[]>()
  for (const entry of entries) {
    const known = byPayment.get(entry.paymentId)
    if (known === undefined) byPayment.set(entry.paymentId, [entry])
    else known.push(entry)
  }
  const items = rows.map(paymentIn).map((payment) => ({
    payment,
    entries: byPayment.get(payment.id) ?? [],
  }))
  return { items, next: nextOf(rows, last) }
}

export function* payoutPage(queries: Queries, after: bigint): Operation<Page<Payout>> {
  const rows = yield* rowsOf(queries.exportPayouts, { after })
  const items: Payout[] = []
  for (const row of rows) items.push(yield* withMembers(queries, row))
  return { items, next: nextOf(rows, lastOf(rows, after)) }
}

function lastOf(rows: readonly Row[], after: bigint): bigint {
  const last = rows.at(-1)
  return last === undefined ? after : read.amount(last, 'seq')
}

function nextOf(rows: readonly Row[], last: bigint): bigint | null {
  return rows.length < exportPage ? null : last
}
