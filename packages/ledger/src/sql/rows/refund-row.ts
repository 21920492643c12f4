import { atomicUsdc } from '@farebox/money'
import type { PaymentId } from '../../payment/payment-record.ts'
import type { Payout } from '../../refund/refund-transfer.ts'
import type { Row, Values } from '../queries/query.ts'
import { proofColumns, proofIn } from './proof-row.ts'
import * as read from './read-row.ts'

const statuses: readonly Payout['status'][] = [
  'waiting',
  'signed',
  'submitted',
  'confirmed',
  'final',
  'blocked',
  'written_off',
]

/** What is frozen when a payout is made. */
export function frozenColumns(payout: Payout): Values {
  return {
    nonce: payout.nonce,
    chain_id: BigInt(payout.chainId),
    asset: payout.asset,
    payer: payout.payer,
    amount: payout.amount,
    sequence: payout.sequence === null ? null : BigInt(payout.sequence),
    created_at: BigInt(payout.createdAt),
  }
}

/** What an event may change. */
export function payoutStateColumns(payout: Payout): Values {
  return {
    version: BigInt(payout.version),
    status: payout.status,
    valid_before: wholeOrNull(payout.validBefore),
    signature: payout.signature,
    signed_at: wholeOrNull(payout.signedAt),
    transaction_hash: payout.transaction,
    ...proofColumns('proof', payout.proof),
    reason: payout.reason,
    attempts: BigInt(payout.attempts),
    next_attempt_at: BigInt(payout.nextAttemptAt),
    lease_owner: payout.lease?.owner ?? null,
    lease_until: payout.lease === null ? null : BigInt(payout.lease.until),
    updated_at: BigInt(payout.updatedAt),
  }
}

/** @throws {LedgerError} `corrupt_row` for a row that this package did not write. */
export function payoutIn(row: Row, payments: readonly PaymentId[]): Payout {
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
