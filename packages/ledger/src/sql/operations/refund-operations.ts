import { LedgerError } from '../../payment/ledger-error.ts'
import type { Hex, PaymentRecord } from '../../payment/payment-record.ts'
import type { Payout } from '../../refund/refund-transfer.ts'
import type {
  Accrual,
  LeaseRequest,
  LedgerStore,
  PayoutEvent,
  PayoutOutcome,
  RefundTotals,
} from '../../store/ledger-store.ts'
import { changeAccrual, changePayout } from '../../transition/payment-change.ts'
import type { Queries } from '../queries/queries.ts'
import { type Operation, type Row, rowsOf, type Values } from '../queries/query.ts'
import { idIn, paymentIn } from '../rows/payment-row.ts'
import * as read from '../rows/read-row.ts'
import { payoutIn, payoutStateColumns } from '../rows/refund-row.ts'
import { insertPayout } from './insert-refund.ts'
import { byColumns, leaseValues, writeChange } from './payment-operations.ts'

export function* loadPayout(queries: Queries, nonce: Hex): Operation<Payout | undefined> {
  const row = (yield* rowsOf(queries.payout, { nonce: nonce.toLowerCase() }))[0]
  return row === undefined ? undefined : yield* withMembers(queries, row)
}

/** A payout with its members, which are the payments that name its nonce. */
export function* withMembers(queries: Queries, row: Row): Operation<Payout> {
  const members = yield* rowsOf(queries.payoutMembers, { nonce: read.hex(row, 'nonce') })
  return payoutIn(
    row,
    members.map((member) => idIn(member, 'id')),
  )
}

export function* leasePayouts(
  queries: Queries,
  request: LeaseRequest,
): Operation<readonly Payout[]> {
  const values = { ...leaseValues(request), limit: BigInt(request.limit) }
  const rows = yield* rowsOf(queries.leasePayouts, values)
  const payouts: Payout[] = []
  for (const row of rows.toSorted(byColumns('next_attempt_at', 'seq'))) {
    payouts.push(yield* withMembers(queries, row))
  }
  return payouts
}

/** The payout is locked before its payments, everywhere, so that two workers cannot wait in a ring. */
export function* applyToPayout(
  queries: Queries,
  { nonce, version }: Payout,
  event: PayoutEvent,
): Operation<PayoutOutcome> {
  const row = (yield* rowsOf(queries.lockPayout, { nonce }))[0]
  if (row === undefined) throw new LedgerError('not_found', `payout ${nonce} is not in the ledger`)
  const payments = (yield* rowsOf(queries.lockMembers, { nonce })).map(paymentIn)
  const current = payoutIn(
    row,
    payments.map(({ id }) => id),
  )
  if (current.version !== version) return { status: 'conflict', payout: current }
  const change = changePayout(current, payments, event)
  for (const payment of change.payments) yield* writeChange(queries, payment)
  yield* rowsOf(queries.updatePayout, { nonce, ...payoutStateColumns(change.payout) })
  return { status: 'applied', payout: change.payout }
}

export function* accruals(queries: Queries, limit: number): Operation<readonly Accrual[]> {
  const payers = yield* rowsOf(queries.accruingPayers, { limit: BigInt(limit) })
  const found: Accrual[] = []
  for (const row of payers) {
    const payer = {
      chainId: read.whole(row, 'chain_id'),
      asset: read.hex(row, 'asset'),
      payer: read.hex(row, 'payer'),
    }
    const rows = yield* rowsOf(queries.accruingOf, payerValues(payer))
    const sequence = yield* nextSequence(queries, payer)
    if (rows.length > 0) found.push({ ...payer, payments: rows.map(paymentIn), sequence })
  }
  return found
}

export function* mergeAccrual(
  queries: Queries,
  accrual: Accrual,
  { nonce, at }: { readonly nonce: Hex; readonly at: number },
): Operation<Awaited<ReturnType<LedgerStore['mergeAccrual']>>> {
  const known = yield* loadPayout(queries, nonce)
  if (known !== undefined) return { status: 'conflict', payout: known }
  const payments: PaymentRecord[] = []
  for (const { id } of accrual.payments) {
    const rows = yield* rowsOf(queries.lockPayment, { id })
    payments.push(...rows.map(paymentIn))
  }
  const change = changeAccrual(accrual, payments, { nonce, at })
  if (change === null || payments.length !== accrual.payments.length) return { status: 'gone' }
  if ((yield* nextSequence(queries, accrual)) !== accrual.sequence) return { status: 'gone' }
  if (!(yield* insertPayout(queries, change.payout))) return { status: 'gone' }
  for (const payment of change.payments) yield* writeChange(queries, payment)
  return { status: 'applied', payout: change.payout }
}

type Payer = Pick<Accrual, 'chainId' | 'asset' | 'payer'>

function* nextSequence(queries: Queries, payer: Payer): Operation<number> {
  const row = (yield* rowsOf(queries.nextSequence, payerValues(payer)))[0]
  return row === undefined ? 0 : read.whole(row, 'sequence')
}

function payerValues({ chainId, asset, payer }: Payer): Values {
  return { chain_id: BigInt(chainId), asset, payer }
}

export function* refundTotals(queries: Queries, since: number): Operation<RefundTotals> {
  const values = { since: BigInt(since) }
  const accruing = totalIn(yield* rowsOf(queries.accruing))
  return {
    paid: totalIn(yield* rowsOf(queries.paidSince, values)),
    refunded: totalIn(yield* rowsOf(queries.refundedSince, values)),
    outstanding: totalIn(yield* rowsOf(queries.outstanding)) + accruing,
    unsent: totalIn(yield* rowsOf(queries.unsent)) + accruing,
  }
}

function totalIn(rows: readonly Row[]): bigint {
  return rows[0] === undefined ? 0n : read.amount(rows[0], 'total')
}
