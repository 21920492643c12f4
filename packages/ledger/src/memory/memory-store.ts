import type { LedgerStore } from '../store/ledger-store.ts'
import { eachOf } from './each-of.ts'
import { memoryChannels } from './memory-channels.ts'
import { createMemoryDisk, type MemoryDisk } from './memory-disk.ts'
import { memoryFreeQuota } from './memory-free-quota.ts'
import { memoryGas } from './memory-gas.ts'
import * as operations from './memory-operations.ts'
import * as payers from './memory-payers.ts'
import { memoryReports } from './memory-reports.ts'

export type MemoryStoreOptions = {
  /** Where the store writes; stores that share a disk are replicas of one database. */
  readonly disk?: MemoryDisk
  /**
   * Wraps each operation, which may run once or never, now or later: simulations use it for delays
   * and crashes. An operation that ran is durable, even if its caller never receives the result.
   */
  readonly around?: <Result>(operation: () => Result) => Promise<Result>
}

/** A store in memory for tests and simulations: deterministic, and as strict as the SQL stores. */
export function createMemoryStore({
  disk = createMemoryDisk(),
  around = async (operation) => operation(),
}: MemoryStoreOptions = {}): LedgerStore {
  return {
    claim: (payment) => around(() => operations.claim(disk, payment)),
    claimWithin: (payment, balance) => around(() => operations.claimWithin(disk, payment, balance)),
    openPayments: (payer) => around(() => payers.openPayments(disk, payer)),
    undecidedFrom: (payer) => around(() => payers.undecidedFrom(disk, payer)),
    payerSpending: (search) => around(() => payers.payerSpending(disk, search)),
    load: (id) => around(() => disk.payments.get(id)),
    findByAuthorization: (key) => around(() => operations.findByAuthorization(disk, key)),
    claimsOf: (keys) => around(() => operations.claimsOf(disk, keys)),
    findByClientPaymentId: (id) => around(() => operations.findByClientPaymentId(disk, id)),
    apply: (payment, event, answer) =>
      around(() => operations.apply(disk, { payment, event, answer })),
    loadAnswer: (id, now) => around(() => operations.loadAnswer(disk, id, now)),
    lease: (id, lease) => around(() => operations.lease(disk, id, lease)),
    leaseUnfinished: (request) => around(() => operations.leaseUnfinished(disk, request)),
    leaseRefunds: (request) => around(() => operations.leaseRefunds(disk, request)),
    applyToRefund: (transfer, event) =>
      around(() => operations.applyToRefund(disk, transfer, event)),
    loadRefund: (nonce) => around(() => operations.loadRefund(disk, nonce)),
    refundTerms: (nonces) => around(() => operations.refundTerms(disk, nonces)),
    smallRefundsDue: (search) => around(() => operations.smallRefundsDue(disk, search)),
    pendingRefundsOf: (payer) => around(() => operations.pendingRefundsOf(disk, payer)),
    batchSmallRefunds: (pending, batch) =>
      around(() => operations.batchSmallRefunds(disk, pending, batch)),
    recordPayerFault: (fault) => around(() => operations.recordPayerFault(disk, fault)),
    forgivePayerFault: (fault) => around(() => operations.forgivePayerFault(disk, fault)),
    payerFaults: (search) => around(() => operations.payerFaults(disk, search)),
    payerFaultsOf: (id) => around(() => operations.payerFaultsOf(disk, id)),
    refundedSince: (since) => around(() => operations.refundedSince(disk, since)),
    unsentRefunds: () => around(() => operations.unsentRefunds(disk)),
    exportPayments: () => eachOf(around, () => operations.exportedPayments(disk)),
    exportRefunds: () => eachOf(around, () => [...disk.transfers.values()]),
    ...memoryReports(disk, around),
    ...memoryChannels(disk, around),
    ...memoryFreeQuota(disk, around),
    ...memoryGas(disk, around),
    ping: () => around(() => undefined),
    prune: (times) => around(() => operations.prune(disk, times)),
    close: () => Promise.resolve(),
  }
}
