import type { RefundTransfer } from '../../refund/refund-transfer.ts'
import type { Queries } from '../queries/queries.ts'
import { type Operation, writtenBy } from '../queries/query.ts'
import { fixedColumns, transferStateColumns } from '../rows/refund-row.ts'

/** Whether it was inserted: false if another refund transfer has the nonce or the sequence. */
export function* insertRefund(queries: Queries, transfer: RefundTransfer): Operation<boolean> {
  const values = { ...fixedColumns(transfer), ...transferStateColumns(transfer) }
  return (yield* writtenBy(queries.insertRefund, values)) > 0
}
