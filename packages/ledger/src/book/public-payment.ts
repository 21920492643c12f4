import { atomicUsdc, publicAmount } from '@farebox/money'
import type {
  Hex,
  PaymentKind,
  PaymentRecord,
  PaymentStatus,
  RecordedUsage,
  RefundStatus,
} from '../payment/payment-record.ts'
import type { LedgerEntry } from './ledger-entry.ts'

/** One amount in both forms: atomic units as digits, and dollars as a decimal string. */
export type PublicAmount = { readonly usdc: string; readonly usd: string }

/** A payment as shown to anyone who knows its id: plain JSON, without signature or content. */
export type PublicPayment = {
  readonly id: string
  readonly status: PaymentStatus
  /** Absent from a sale that was paid by a transfer. */
  readonly kind?: Exclude<PaymentKind, 'sale'>
  readonly channelId?: string
  readonly resource: string
  readonly model: string
  readonly network: string
  readonly asset: string
  readonly payer: string
  readonly paid: PublicAmount
  readonly cost: PublicAmount | null
  readonly refund:
    | (PublicAmount & {
        readonly status: Exclude<RefundStatus, 'written_off'>
        readonly transaction: string | null
      })
    | null
  readonly settlement: { readonly transaction: string; readonly block: number } | null
  readonly usage: RecordedUsage | null
  readonly createdAt: string
  readonly updatedAt: string
}

/**
 * The public form of a payment. A channel's call paid its ceiling, and the rest is `released` into
 * the channel; a deposit costs what it paid, because it bought that much credit. `paid` is zero if
 * no money arrived (`rejected`, `void`). A refund that was written off, or whose settlement
 * vanished, is shown as `blocked`.
 */
export function publicPayment(record: PaymentRecord): PublicPayment {
  const { id, status, resource, model, network, authorization, settlement } = record
  const isUnpaid = status === 'rejected' || status === 'void'
  return {
    id,
    status,
    ...channelFields(record),
    resource,
    model,
    network,
    asset: authorization.asset,
    payer: authorization.from,
    paid: publicAmount(isUnpaid ? atomicUsdc(0n) : authorization.value),
    cost: record.cost === null ? null : publicAmount(record.cost),
    refund: publicRefund(record),
    settlement:
      settlement === null ? null : { transaction: settlement.transaction, block: settlement.block },
    usage: record.usage,
    createdAt: isoTime(record.createdAt),
    updatedAt: isoTime(record.updatedAt),
  }
}

function channelFields({
  kind,
  channelId,
}: PaymentRecord): Pick<PublicPayment, 'kind' | 'channelId'> {
  return kind === 'sale' || channelId === null ? {} : { kind, channelId }
}

/** One side of a double entry, in atomic units as digits. */
export type PublicEntry = {
  readonly account: string
  readonly debit: string
  readonly credit: string
  readonly at: string
}

/** One line of the ledger's export. */
export type ExportLine = PublicPayment & {
  readonly authorization: { readonly from: Hex; readonly nonce: Hex; readonly validBefore: number }
  readonly refundNonce: Hex | null
  readonly priceVersion: string
  readonly entries: readonly PublicEntry[]
}

/** A payment with its entries as exported; each movement becomes two lines, one per account. */
export function exportLine(record: PaymentRecord, entries: readonly LedgerEntry[]): ExportLine {
  const { from, nonce, validBefore } = record.authorization
  return {
    ...publicPayment(record),
    authorization: { from, nonce, validBefore },
    refundNonce: record.refund?.nonce ?? null,
    priceVersion: record.priceVersion,
    entries: entries.flatMap(publicEntries),
  }
}

/** Both sides of an entry, the debit first. */
export function publicEntries({
  debit,
  credit,
  amount,
  at,
}: Omit<LedgerEntry, 'paymentId'>): readonly PublicEntry[] {
  const text = amount.toString()
  return [
    { account: debit, debit: text, credit: '0', at: isoTime(at) },
    { account: credit, debit: '0', credit: text, at: isoTime(at) },
  ]
}

function publicRefund({ refund, settlement }: PaymentRecord): PublicPayment['refund'] {
  if (refund === null) return null
  const { amount, status, transaction } = refund
  const isSent = status === 'submitted' || status === 'confirmed'
  const isHeld = settlement === null && !isSent && status !== 'released'
  const shown = isHeld || status === 'written_off' ? 'blocked' : status
  return { ...publicAmount(amount), status: shown, transaction }
}

export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
