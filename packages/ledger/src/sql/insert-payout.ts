import type { Payout } from '../payout.ts'
import { frozenColumns, payoutStateColumns } from './payout-row.ts'
import type { Queries } from './queries.ts'
import { type Operation, rowsOf } from './query.ts'

/** Whether it was written; not so when another payout has the nonce or the sequence. */
export function* insertPayout(queries: Queries, payout: Payout): Operation<boolean> {
  const inserted = yield* rowsOf(queries.insertPayout, {
    ...frozenColumns(payout),
    ...payoutStateColumns(payout),
  })
  return inserted.length > 0
}
