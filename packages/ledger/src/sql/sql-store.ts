import { freeAddressesKeptMs } from '../store/free-quota-store.ts'
import type { LedgerStore } from '../store/ledger-store.ts'
import type { Executor } from './executor.ts'
import * as exports from './operations/export-operations.ts'
import { sqlFreeQuota } from './operations/free-quota-operations.ts'
import { sqlGas } from './operations/gas-operations.ts'
import { paged } from './operations/paged.ts'
import * as payerFaults from './operations/payer-fault-operations.ts'
import * as payments from './operations/payment-operations.ts'
import * as refunds from './operations/refund-operations.ts'
import { sqlReports } from './operations/report-operations.ts'
import { sqlChannels } from './operations/sql-channels.ts'
import type { Queries } from './queries/queries.ts'
import { type Operation, rowsOf } from './queries/query.ts'
import { refuseNewerSchema } from './schema/migrations.ts'

/** The ledger over a database: each method is one operation. */
export function createSqlStore(queries: Queries, executor: Executor): LedgerStore {
  const { read, write, writeOnce } = executor
  return {
    claim: (payment) => writeOnce(() => payments.claim(queries, payment)),
    claimWithin: (payment, balance) =>
      writeOnce(() => payments.claimWithin(queries, payment, balance)),
    openPayments: (payer) => read(() => payments.openPayments(queries, payer)),
    undecidedFrom: (payer) => read(() => payments.undecidedFrom(queries, payer)),
    payerSpending: (search) => read(() => payments.payerSpending(queries, search)),
    load: (id) => read(() => payments.load(queries, id)),
    findByAuthorization: (key) => read(() => payments.findByAuthorization(queries, key)),
    claimsOf: (keys) => read(() => payments.claimsOf(queries, keys)),
    findByClientPaymentId: (id) => read(() => payments.findByClientPaymentId(queries, id)),
    apply: (payment, event, answer) =>
      write(() => payments.apply(queries, { payment, event, answer })),
    loadAnswer: (id, now) => read(() => payments.loadAnswer(queries, id, now)),
    lease: (id, lease) => writeOnce(() => payments.lease(queries, id, lease)),
    leaseUnfinished: (request, onCorrupt) =>
      writeOnce(() => payments.leaseUnfinished(queries, request, onCorrupt)),
    leaseRefunds: (request, onCorrupt) =>
      writeOnce(() => refunds.leaseRefunds(queries, request, onCorrupt)),
    applyToRefund: (transfer, event, payments) =>
      write(() => refunds.applyToRefund(queries, { transfer, event, payments })),
    loadRefund: (nonce) => read(() => refunds.loadRefund(queries, nonce)),
    refundTerms: (nonces) => read(() => refunds.refundTerms(queries, nonces)),
    smallRefundsDue: (search) => read(() => refunds.smallRefundsDue(queries, search)),
    pendingRefundsOf: (payer) => read(() => refunds.pendingRefundsOf(queries, payer)),
    batchSmallRefunds: (pending, batch) =>
      write(() => refunds.batchSmallRefunds(queries, pending, batch)),
    recordPayerFault: (fault) => writeOnce(() => payerFaults.recordPayerFault(queries, fault)),
    forgivePayerFault: (fault) => writeOnce(() => payerFaults.forgivePayerFault(queries, fault)),
    payerFaults: (search) => read(() => payerFaults.payerFaults(queries, search)),
    payerFaultsOf: (id) => read(() => payerFaults.payerFaultsOf(queries, id)),
    refundedSince: (since) => read(() => refunds.refundedSince(queries, since)),
    unsentRefunds: () => read(() => refunds.unsentRefunds(queries)),
    exportPayments: (onCorrupt) =>
      paged(executor, (after) => exports.paymentPage(queries, after, onCorrupt)),
    exportRefunds: (onCorrupt) =>
      paged(executor, (after) => exports.refundTransferPage(queries, after, onCorrupt)),
    ...sqlReports(queries, executor),
    ...sqlChannels(queries, executor),
    ...sqlFreeQuota(queries, executor),
    ...sqlGas(queries, executor),
    ping: () => writeOnce(() => ping(queries)),
    prune: (times) => writeOnce(() => prune(queries, times)),
    close: () => executor.close(),
  }
}

function* ping(queries: Queries): Operation<void> {
  const [later] = yield* rowsOf(queries.laterMigration)
  refuseNewerSchema(later)
  yield* rowsOf(queries.beat)
  // No row changes, but PostgreSQL waits while another session has locked the table.
  yield* rowsOf(queries.touchPayments)
}

function* prune(
  queries: Queries,
  { now, unpaidBefore }: Parameters<LedgerStore['prune']>[0],
): Operation<void> {
  yield* rowsOf(queries.pruneAnswers, { now: BigInt(now) })
  yield* rowsOf(queries.prunePayerFaults, { now: BigInt(now) })
  yield* rowsOf(queries.pruneFreeQuota, { before: BigInt(now - freeAddressesKeptMs) })
  yield* rowsOf(queries.pruneUnpaid, { before: BigInt(unpaidBefore) })
  yield* rowsOf(queries.pruneChannels, { before: BigInt(unpaidBefore) })
}
