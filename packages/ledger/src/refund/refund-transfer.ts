import type { Usdc } from '@farebox/money'
import type { Hex, Lease, PaymentId, TransferProof } from '../payment/payment-record.ts'

/**
 * One refund transfer on the chain, of one payment or of several of the same payer. Its nonce and
 * amount are frozen before the first signature: the chain lets each nonce pass once.
 */
export type RefundTransfer = {
  /** The EIP-3009 nonce, a hash of what it pays: the identity of the transfer. */
  readonly nonce: Hex
  readonly version: number
  readonly chainId: number
  readonly asset: Hex
  readonly payer: Hex
  readonly amount: Usdc
  /** In order of creation. */
  readonly payments: readonly PaymentId[]
  /** Of a merged refund transfer: its number among the payer's. Null for the refund of one payment. */
  readonly sequence: number | null
  readonly status:
    | 'waiting'
    | 'signed'
    | 'submitted'
    | 'confirmed'
    | 'final'
    | 'blocked'
    | 'written_off'
  /** Seconds since 1970, of the latest signature; another has the same nonce and amount. */
  readonly validBefore: number | null
  readonly signature: Hex | null
  /** When it was first signed, and so may first have left us. */
  readonly signedAt: number | null
  readonly transaction: Hex | null
  readonly proof: TransferProof | null
  /** Why it is blocked: a stable code. */
  readonly reason: string | null
  /** How often it was submitted, blocked or postponed since it was created or unblocked. */
  readonly attempts: number
  readonly nextAttemptAt: number
  readonly lease: Lease | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** The most payments that one refund transfer carries; a payer's others go into the next. */
export const maxBatchedPayments = 1000

/** Whether a refund transfer still has to be sent, watched or probed. */
export function isRefundTransferOpen(transfer: RefundTransfer): boolean {
  return transfer.status !== 'final' && transfer.status !== 'written_off'
}
