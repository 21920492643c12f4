import { sum } from '@farebox/money'
import type { PaymentId, PaymentRecord } from '../payment/payment-record.ts'
import { isRefundTransferOpen } from '../refund/refund-transfer.ts'
import { canonicalPayer } from '../store/claim-payment.ts'
import type {
  OpenPayments,
  PayerKey,
  PayerSpending,
  SpendingSearch,
} from '../store/ledger-store.ts'
import type { MemoryDisk } from './memory-disk.ts'

/** Whether something belongs to a payer: by chain, asset and address. */
export function isOfPayer(payer: PayerKey, { chainId, asset, from }: PayerKey): boolean {
  return from === payer.from && asset === payer.asset && chainId === payer.chainId
}

function paymentsOf(
  disk: MemoryDisk,
  payer: PayerKey,
  ids: ReadonlySet<PaymentId>,
): readonly PaymentRecord[] {
  return [...ids].flatMap((id) => {
    const payment = disk.payments.get(id)
    return payment !== undefined && isOfPayer(payer, payment.authorization) ? [payment] : []
  })
}

/** The block of the first payment that may still turn out to be paid, or to have a cost. */
export function undecidedFrom(disk: MemoryDisk, key: PayerKey): number | null {
  const blocks = paymentsOf(disk, canonicalPayer(key), disk.unfinished)
    .filter(
      ({ status, settlement }) =>
        (status !== 'completed' && status !== 'failed') || settlement === null,
    )
    .map(({ intentBlock }) => intentBlock)
  return blocks.length === 0 ? null : Math.min(...blocks)
}

/** Counts what is open for a payer: its payments, and the refunds that may still reach it. */
export function openPayments(disk: MemoryDisk, key: PayerKey): OpenPayments {
  const payer = canonicalPayer(key)
  const open = paymentsOf(disk, payer, new Set([...disk.unfinished, ...disk.accruing]))
  const refunds = [...disk.transfers.values()].filter(
    (transfer) =>
      isRefundTransferOpen(transfer) && isOfPayer(payer, { ...transfer, from: transfer.payer }),
  )
  const rejected = open.filter(({ status }) => status === 'rejected').length
  return { rejected, others: open.length - rejected + refunds.length }
}

/** What a payer has bought. A deposit buys nothing by itself: the calls that it pays for are counted. */
export function payerSpending(disk: MemoryDisk, search: SpendingSearch): PayerSpending {
  const payer = canonicalPayer(search.payer)
  const bought = [...disk.payments.values()].filter(
    ({ authorization, status, kind }) =>
      status !== 'rejected' &&
      status !== 'void' &&
      kind !== 'channel_deposit' &&
      isOfPayer(payer, authorization),
  )
  const requests = bought.filter(({ createdAt }) => createdAt >= search.requestsSince)
  const recent = bought.filter(({ createdAt }) => createdAt >= search.spentSince)
  return {
    requests: requests.length,
    firstRequestAt:
      requests.length === 0 ? null : Math.min(...requests.map(({ createdAt }) => createdAt)),
    spent: sum(recent.map(({ cost, authorization }) => cost ?? authorization.value)),
  }
}
