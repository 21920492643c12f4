import type { RefundTransfer } from '../../refund/refund-transfer.ts'
import type { Queries } from '../queries/queries.ts'
import { type Operation, writtenBy } from '../queries/query.ts'
import { transferColumns } from '../rows/refund-row.ts'

/** Whether it was inserted: false if another refund transfer has the nonce or the sequence. */
export function* insertRefund(queries: Queries, transfer: RefundTransfer): Operation<boolean> {
  return (yield* writtenBy(queries.insertRefund, transferColumns(transfer))) > 0
}
