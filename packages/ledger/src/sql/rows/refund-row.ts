import { atomicUsdc } from '@farebox/money'
import type { PaymentId } from '../../payment/payment-record.ts'
import { type RefundTransfer, refundTransferStatuses } from '../../refund/refund-transfer.ts'
import type { RefundTerms } from '../../store/ledger-store.ts'
import type { Row, Values } from '../queries/query.ts'
import { leaseColumns } from './payment-row.ts'
import { proofColumns, proofIn } from './proof-row.ts'
import * as read from './read-row.ts'

/** The whole row of a new refund transfer. */
export function transferColumns(transfer: RefundTransfer): Values {
  return {
    ...transferStateColumns(transfer),
    nonce: transfer.nonce,
    chain_id: BigInt(transfer.chainId),
    asset: transfer.asset,
    payer: transfer.payer,
    amount: transfer.amount,
    sequence: transfer.sequence === null ? null : BigInt(transfer.sequence),
    created_at: BigInt(transfer.createdAt),
  }
}

/** What an event may change. */
export function transferStateColumns(transfer: RefundTransfer): Values {
  return {
    ...proofColumns(transfer.proof),
    version: BigInt(transfer.version),
    status: transfer.status,
    valid_before: wholeOrNull(transfer.validBefore),
    signature: transfer.signature,
    signed_at: wholeOrNull(transfer.signedAt),
    transaction_hash: transfer.transaction,
    reason: transfer.reason,
    attempts: BigInt(transfer.attempts),
    next_attempt_at: BigInt(transfer.nextAttemptAt),
    ...leaseColumns(transfer),
    updated_at: BigInt(transfer.updatedAt),
  }
}

/** @throws {LedgerError} `corrupt_row` for a row that this package cannot have written. */
export function refundTransferIn(row: Row, payments: readonly PaymentId[]): RefundTransfer {
  return {
    nonce: read.hex(row, 'nonce'),
    version: read.whole(row, 'version'),
    chainId: read.whole(row, 'chain_id'),
    asset: read.hex(row, 'asset'),
    payer: read.hex(row, 'payer'),
    amount: atomicUsdc(read.amount(row, 'amount')),
    payments,
    sequence: read.wholeOrNull(row, 'sequence'),
    status: read.oneOf(row, 'status', refundTransferStatuses),
    validBefore: read.wholeOrNull(row, 'valid_before'),
    signature: read.hexOrNull(row, 'signature'),
    signedAt: read.wholeOrNull(row, 'signed_at'),
    transaction: read.hexOrNull(row, 'transaction_hash'),
    proof: proofIn(row, 'proof'),
    reason: read.textOrNull(row, 'reason'),
    attempts: read.whole(row, 'attempts'),
    nextAttemptAt: read.whole(row, 'next_attempt_at'),
    lease: read.leaseIn(row),
    createdAt: read.time(row, 'created_at'),
    updatedAt: read.time(row, 'updated_at'),
  }
}

export function termsIn(row: Row): RefundTerms {
  return {
    nonce: read.hex(row, 'nonce'),
    payer: read.hex(row, 'payer'),
    amount: atomicUsdc(read.amount(row, 'amount')),
  }
}

function wholeOrNull(value: number | null): bigint | null {
  return value === null ? null : BigInt(value)
}
