import type { Usdc } from '@farebox/money'
import type { Hex, Lease, PaymentId, TransferProof } from '../payment/payment-record.ts'

/** The states of a refund transfer. */
export const refundTransferStatuses = [
  'waiting',
  'signed',
  'submitted',
  'confirmed',
  'final',
  'blocked',
  'written_off',
] as const

export type RefundTransferStatus = (typeof refundTransferStatuses)[number]

/**
 * One transfer on the chain that refunds one payment, or several of the same payer. Its nonce and
 * amount are fixed before the first signature: the token accepts each nonce only once.
 */
export type RefundTransfer = {
  /** The EIP-3009 nonce, a hash of what is refunded: it identifies the transfer. */
  readonly nonce: Hex
  readonly version: number
  readonly chainId: number
  readonly asset: Hex
  readonly payer: Hex
  readonly amount: Usdc
  /** In order of creation. */
  readonly payments: readonly PaymentId[]
  /** The number of a batch among the payer's batches; null for the refund of one payment. */
  readonly sequence: number | null
  readonly status: RefundTransferStatus
  /** Until when the latest signature is valid, in seconds since 1970. */
  readonly validBefore: number | null
  readonly signature: Hex | null
  /** When it was first signed, and so may have been sent for the first time. */
  readonly signedAt: number | null
  readonly transaction: Hex | null
  readonly proof: TransferProof | null
  /** Why it is blocked: a stable code. */
  readonly reason: string | null
  /** How often it was submitted, blocked or postponed since it was created or last unblocked. */
  readonly attempts: number
  readonly nextAttemptAt: number
  readonly lease: Lease | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** The most payments that one refund transfer covers; the rest wait for the next batch. */
export const maxBatchedPayments = 1000

/** Whether a refund transfer still has to be sent or checked. */
export function isRefundTransferOpen(transfer: RefundTransfer): boolean {
  return transfer.status !== 'final' && transfer.status !== 'written_off'
}
