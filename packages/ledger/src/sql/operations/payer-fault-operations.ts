import { type PayerFault, payerFaultCauses } from '../../payment/payer-fault.ts'
import type { PaymentId } from '../../payment/payment-record.ts'
import { maxPayerFaults, type PayerFaultSearch } from '../../store/ledger-store.ts'
import type { Queries } from '../queries/queries.ts'
import { type Operation, type Row, rowsOf } from '../queries/query.ts'
import { idIn } from '../rows/payment-row.ts'
import * as read from '../rows/read-row.ts'

export function* recordPayerFault(
  queries: Queries,
  { paymentId, subject, cause, expiresAt }: PayerFault,
): Operation<void> {
  const values = { payment_id: paymentId, subject, cause, expires_at: BigInt(expiresAt) }
  yield* rowsOf(queries.putPayerFault, values)
}

export function* forgivePayerFault(
  queries: Queries,
  { paymentId, cause }: Pick<PayerFault, 'paymentId' | 'cause'>,
): Operation<void> {
  yield* rowsOf(queries.deletePayerFault, { payment_id: paymentId, cause })
}

export function* payerFaults(
  queries: Queries,
  { subject, now }: PayerFaultSearch,
): Operation<readonly PayerFault[]> {
  const values = { subject, now: BigInt(now) }
  const any = yield* rowsOf(queries.anyPayerFaults, values)
  if (any.length <= maxPayerFaults) {
    return any.map(payerFaultIn).toSorted((a, b) => b.expiresAt - a.expiresAt)
  }
  return (yield* rowsOf(queries.payerFaults, values)).map(payerFaultIn)
}

export function* payerFaultsOf(queries: Queries, id: PaymentId): Operation<readonly PayerFault[]> {
  return (yield* rowsOf(queries.payerFaultsOf, { payment_id: id })).map(payerFaultIn)
}

function payerFaultIn(row: Row): PayerFault {
  return {
    paymentId: idIn(row, 'payment_id'),
    subject: read.text(row, 'subject'),
    cause: read.oneOf(row, 'cause', payerFaultCauses),
    expiresAt: read.whole(row, 'expires_at'),
  }
}
