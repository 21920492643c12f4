import { atomicUsdc } from '@farebox/money'
import { accounts, type LedgerEntry } from '../../book/ledger-entry.ts'
import { isUnfinished } from '../../payment/is-unfinished.ts'
import { parsePaymentId } from '../../payment/payment-id.ts'
import {
  type PaymentId,
  type PaymentRecord,
  paymentKinds,
  paymentStatuses,
  type RecordedUsage,
  type Refund,
  refundStatuses,
} from '../../payment/payment-record.ts'
import type { Row, Values } from '../queries/query.ts'
import { proofIn } from './proof-row.ts'
import * as read from './read-row.ts'

/** The whole row of a new payment. */
export function paymentColumns(payment: PaymentRecord): Values {
  const { authorization } = payment
  return {
    ...stateColumns(payment),
    ...leaseColumns(payment),
    id: payment.id,
    network: payment.network,
    chain_id: BigInt(authorization.chainId),
    asset: authorization.asset,
    payer: authorization.from,
    pay_to: authorization.to,
    value: authorization.value,
    nonce: authorization.nonce,
    valid_after: BigInt(authorization.validAfter),
    valid_before: BigInt(authorization.validBefore),
    request_digest: payment.requestDigest,
    resource: payment.resource,
    price_version: payment.priceVersion,
    intent_block: BigInt(payment.intentBlock),
    created_at: BigInt(payment.createdAt),
    kind: payment.kind,
    channel_id: payment.channelId,
  }
}

/** What an event may change. Only leases write the lease. */
export function stateColumns(payment: PaymentRecord): Values {
  const { settlement, refund } = payment
  return {
    version: BigInt(payment.version),
    status: payment.status,
    payload: payment.payload,
    client_payment_id: payment.clientPaymentId,
    settlement_hint: payment.settlementHint,
    settlement_transaction: settlement?.transaction ?? null,
    settlement_block: settlement === null ? null : BigInt(settlement.block),
    settlement_block_hash: settlement?.blockHash ?? null,
    settlement_log_index: settlement === null ? null : BigInt(settlement.logIndex),
    settlement_final: payment.settlementFinal ? 1n : 0n,
    model: payment.model,
    cost: payment.cost,
    usage: payment.usage === null ? null : JSON.stringify(payment.usage),
    provider_cost: payment.providerCost,
    refund_amount: refund?.amount ?? null,
    refund_status: refund?.status ?? null,
    refund_nonce: refund?.nonce ?? null,
    refund_transaction: refund?.transaction ?? null,
    reason: payment.reason,
    unfinished: isUnfinished(payment) ? 1n : 0n,
    updated_at: BigInt(payment.updatedAt),
  }
}

export function leaseColumns({ lease }: Pick<PaymentRecord, 'lease'>): Values {
  return {
    lease_owner: lease?.owner ?? null,
    lease_until: lease === null ? null : BigInt(lease.until),
  }
}

/** @throws {LedgerError} `corrupt_row` for a row that this package cannot have written. */
export function paymentIn(row: Row): PaymentRecord {
  const cost = row['cost'] === null ? null : atomicUsdc(read.amount(row, 'cost'))
  return {
    id: idIn(row, 'id'),
    version: read.whole(row, 'version'),
    status: read.oneOf(row, 'status', paymentStatuses),
    network: read.text(row, 'network'),
    kind: read.oneOf(row, 'kind', paymentKinds),
    channelId: read.hexOrNull(row, 'channel_id'),
    authorization: {
      chainId: read.whole(row, 'chain_id'),
      asset: read.hex(row, 'asset'),
      from: read.hex(row, 'payer'),
      to: read.hex(row, 'pay_to'),
      value: atomicUsdc(read.amount(row, 'value')),
      nonce: read.hex(row, 'nonce'),
      validAfter: read.whole(row, 'valid_after'),
      validBefore: read.whole(row, 'valid_before'),
    },
    payload: read.textOrNull(row, 'payload'),
    requestDigest: read.text(row, 'request_digest'),
    resource: read.text(row, 'resource'),
    model: read.text(row, 'model'),
    priceVersion: read.text(row, 'price_version'),
    clientPaymentId: read.textOrNull(row, 'client_payment_id'),
    intentBlock: read.whole(row, 'intent_block'),
    settlementHint: read.hexOrNull(row, 'settlement_hint'),
    settlement: proofIn(row, 'settlement'),
    settlementFinal: read.whole(row, 'settlement_final') === 1,
    cost,
    usage: usageIn(row),
    providerCost:
      row['provider_cost'] === null ? null : atomicUsdc(read.amount(row, 'provider_cost')),
    refund: refundIn(row),
    reason: read.textOrNull(row, 'reason'),
    lease: read.leaseIn(row),
    createdAt: read.time(row, 'created_at'),
    updatedAt: read.time(row, 'updated_at'),
  }
}

export function entryColumns(entry: LedgerEntry): Values {
  const { paymentId, debit, credit, amount, at } = entry
  return { payment_id: paymentId, debit, credit, amount, at: BigInt(at) }
}

export function entryIn(row: Row): LedgerEntry {
  return {
    paymentId: idIn(row, 'payment_id'),
    debit: read.oneOf(row, 'debit', accounts),
    credit: read.oneOf(row, 'credit', accounts),
    amount: atomicUsdc(read.amount(row, 'amount')),
    at: read.time(row, 'at'),
  }
}

export function idIn(row: Row, column: string): PaymentId {
  const id = parsePaymentId(read.text(row, column))
  return id ?? read.refuse(row, column)
}

function refundIn(row: Row): Refund | null {
  if (row['refund_amount'] === null) return null
  return {
    amount: atomicUsdc(read.amount(row, 'refund_amount')),
    status: read.oneOf(row, 'refund_status', refundStatuses),
    nonce: read.hexOrNull(row, 'refund_nonce'),
    transaction: read.hexOrNull(row, 'refund_transaction'),
  }
}

function usageIn(row: Row): RecordedUsage | null {
  return row['usage'] === null ? null : read.json(row, 'usage', isUsage)
}

function isUsage(usage: unknown): usage is RecordedUsage {
  return typeof usage === 'object' && usage !== null && 'source' in usage
}
