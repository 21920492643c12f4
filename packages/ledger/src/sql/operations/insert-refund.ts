import type { RefundTransfer } from '../../refund/refund-transfer.ts'
import type { Queries } from '../queries/queries.ts'
import { type Operation, rowsOf } from '../queries/query.ts'
import { frozenColumns, refundTransferStateColumns } from '../rows/refund-row.ts'

/** Whether it was written; not so when another refund transfer has the nonce or the sequence. */
export function* insertRefund(
  queries: Queries,
  refundTransfer: RefundTransfer,
): Operation<boolean> {
  const inserted = yield* rowsOf(queries.insertRefund, {
    ...frozenColumns(refundTransfer),
    ...refundTransferStateColumns(refundTransfer),
  })
  return inserted.length > 0
}
