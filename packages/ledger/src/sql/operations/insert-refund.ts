import type { Payout } from '../../refund/refund-transfer.ts'
import type { Queries } from '../queries/queries.ts'
import { type Operation, rowsOf } from '../queries/query.ts'
import { frozenColumns, payoutStateColumns } from '../rows/refund-row.ts'

/** Whether it was written; not so when another payout has the nonce or the sequence. */
export function* insertPayout(queries: Queries, payout: Payout): Operation<boolean> {
  const inserted = yield* rowsOf(queries.insertPayout, {
    ...frozenColumns(payout),
    ...payoutStateColumns(payout),
  })
  return inserted.length > 0
}
