import { atomicUsdc } from '@farebox/money'
import type { PaymentId } from '../../payment/payment-record.ts'
import type { RefundTransfer } from '../../refund/refund-transfer.ts'
import type { Row, Values } from '../queries/query.ts'
import { proofColumns, proofIn } from './proof-row.ts'
import * as read from './read-row.ts'

const statuses: readonly RefundTransfer['status'][] = [
  'waiting',
  'signed',
  'submitted',
  'confirmed',
  'final',
  'blocked',
  'written_off',
]

/** What is frozen when a refund transfer is made. */
export function frozenColumns(refundTransfer: RefundTransfer): Values {
  return {
    nonce: refundTransfer.nonce,
    chain_id: BigInt(refundTransfer.chainId),
    asset: refundTransfer.asset,
    payer: refundTransfer.payer,
    amount: refundTransfer.amount,
    sequence: refundTransfer.sequence === null ? null : BigInt(refundTransfer.sequence),
    created_at: BigInt(refundTransfer.createdAt),
  }
}

/** What an event may change. */
export function refundTransferStateColumns(refundTransfer: RefundTransfer): Values {
  return {
    version: BigInt(refundTransfer.version),
    status: refundTransfer.status,
    valid_before: wholeOrNull(refundTransfer.validBefore),
    signature: refundTransfer.signature,
    signed_at: wholeOrNull(refundTransfer.signedAt),
    transaction_hash: refundTransfer.transaction,
    ...proofColumns('proof', refundTransfer.proof),
    reason: refundTransfer.reason,
    attempts: BigInt(refundTransfer.attempts),
    next_attempt_at: BigInt(refundTransfer.nextAttemptAt),
    lease_owner: refundTransfer.lease?.owner ?? null,
    lease_until: refundTransfer.lease === null ? null : BigInt(refundTransfer.lease.until),
    updated_at: BigInt(refundTransfer.updatedAt),
  }
}

/** @throws {LedgerError} `corrupt_row` for a row that this package did not write. */
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
    status: read.oneOf(row, 'status', statuses),
    validBefore: read.wholeOrNull(row, 'valid_before'),
    signature: read.hexOrNull(row, 'signature'),
    signedAt: read.wholeOrNull(row, 'signed_at'),
    transaction: read.hexOrNull(row, 'transaction_hash'),
    proof: proofIn(row, 'proof'),
    reason: read.textOrNull(row, 'reason'),
    attempts: read.whole(row, 'attempts'),
    nextAttemptAt: read.whole(row, 'next_attempt_at'),
    lease: read.leaseIn(row),
    createdAt: read.whole(row, 'created_at'),
    updatedAt: read.whole(row, 'updated_at'),
  }
}

function wholeOrNull(value: number | null): bigint | null {
  return value === null ? null : BigInt(value)
}
