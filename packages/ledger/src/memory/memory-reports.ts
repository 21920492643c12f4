import { sum } from '@farebox/money'
import { ledgerPosition } from '../book/ledger-position.ts'
import type { Hex, PaymentRecord } from '../payment/payment-record.ts'
import type { RefundTransfer } from '../refund/refund-transfer.ts'
import {
  type LedgerReports,
  type ModelRevenue,
  maxPaymentsOfTransaction,
  type Owed,
  type PaymentSearch,
  type PendingRefundTotal,
  pendingRefundStatuses,
  type RefundSearch,
  type RevenuePeriod,
} from '../store/ledger-reports.ts'
import { createRevenueTally } from '../store/revenue-tally.ts'
import type { Around } from './around.ts'
import { compared } from './compared.ts'
import { channelTotals } from './memory-channels.ts'
import type { MemoryDisk } from './memory-disk.ts'

/** What an operator reads, over a disk in memory. */
export function memoryReports(disk: MemoryDisk, around: Around): LedgerReports {
  return {
    searchPayments: (search) => around(() => searchPayments(disk, search)),
    paymentsOfTransaction: (transaction) => around(() => paymentsOfTransaction(disk, transaction)),
    entriesOf: (id) => around(() => disk.entries.get(id) ?? []),
    searchRefunds: (search) => around(() => searchRefunds(disk, search)),
    pendingRefundTotals: () => around(() => pendingRefundTotals(disk)),
    owed: () => around(() => owed(disk)),
    revenueByDay: (period) => around(() => revenueByDay(disk, period)),
    // Each call adds up the entries.
    keptRevenue: () => around(() => ({ days: [], sums: [] })),
  }
}

function searchPayments(disk: MemoryDisk, search: PaymentSearch): readonly PaymentRecord[] {
  const { from, to, payer, model, status, after, limit } = search
  return [...disk.payments.values()]
    .filter(
      (payment) =>
        payment.createdAt >= from &&
        payment.createdAt < to &&
        (payer === undefined || payment.authorization.from === payer.toLowerCase()) &&
        (model === undefined || payment.model === model) &&
        (status === undefined || payment.status === status) &&
        (after === undefined || newestFirst(after, payment) < 0),
    )
    .toSorted(newestFirst)
    .slice(0, limit)
}

type Created = Pick<PaymentRecord, 'id' | 'createdAt'>

function newestFirst(a: Created, b: Created): number {
  return b.createdAt - a.createdAt || compared(b.id, a.id)
}

function paymentsOfTransaction(disk: MemoryDisk, hash: Hex): readonly PaymentRecord[] {
  const transaction = hash.toLowerCase()
  const payments = [...disk.payments.values()]
  const nonces = new Set(
    [...disk.transfers.values()]
      .filter((transfer) => isSentIn(transfer, transaction))
      .map(({ nonce }) => nonce),
  )
  const settled = payments.filter(({ settlement }) => settlement?.transaction === transaction)
  const refunded = payments.filter(({ refund }) => refund?.nonce && nonces.has(refund.nonce))
  return [...new Set([...settled, ...refunded])].slice(0, maxPaymentsOfTransaction)
}

function isSentIn({ proof, transaction, status }: RefundTransfer, hash: string): boolean {
  const isOpen = status !== 'final' && status !== 'written_off'
  return proof?.transaction === hash || (isOpen && transaction === hash)
}

function searchRefunds(
  disk: MemoryDisk,
  { status, after, limit }: RefundSearch,
): readonly RefundTransfer[] {
  return [...disk.transfers.values()]
    .filter((transfer) => transfer.status === status)
    .filter((transfer) => after === undefined || oldestFirst(after, transfer) < 0)
    .toSorted(oldestFirst)
    .slice(0, limit)
}

type Started = Pick<RefundTransfer, 'nonce' | 'createdAt'>

function oldestFirst(a: Started, b: Started): number {
  return a.createdAt - b.createdAt || compared(a.nonce, b.nonce)
}

function pendingRefundTotals(disk: MemoryDisk): readonly PendingRefundTotal[] {
  const transfers = [...disk.transfers.values()]
  return pendingRefundStatuses
    .map((status) => {
      const amounts = transfers.filter((one) => one.status === status).map(({ amount }) => amount)
      return { status, transfers: amounts.length, amount: sum(amounts) }
    })
    .filter(({ transfers: count }) => count > 0)
    .toSorted((a, b) => compared(a.status, b.status))
}

function owed(disk: MemoryDisk): Owed {
  const sales = [...disk.payments.values()].filter(({ kind }) => kind === 'sale')
  const positions = sales.map(ledgerPosition)
  const held = (account: keyof (typeof positions)[number]): bigint =>
    -sum(positions.map((position) => position[account]))
  return {
    liability: held('liability'),
    suspense: held('suspense'),
    refundsPayable: held('refunds_payable'),
    payerCredit: held('payer_credit'),
    payerChannel: payerChannel(disk),
  }
}

function payerChannel(disk: MemoryDisk): bigint {
  const { deposited, returned, charged } = channelTotals(disk)
  return deposited - returned - charged
}

function revenueByDay(disk: MemoryDisk, { from, to }: RevenuePeriod): readonly ModelRevenue[] {
  const tally = createRevenueTally()
  for (const payment of disk.payments.values()) {
    const entries = disk.entries.get(payment.id) ?? []
    tally.addEntries(
      payment,
      entries.filter(({ at }) => at >= from && at < to),
    )
  }
  return tally.sums()
}
