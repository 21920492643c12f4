import type { Usdc } from '@farebox/money'
import type { Hex, Lease, PaymentId, TransferProof } from './payment-record.ts'

/**
 * One refund transfer on the chain, of one payment or of several of the same payer. Its nonce and
 * amount are frozen before the first signature: the chain lets each nonce pass once.
 */
export type Payout = {
  /** The EIP-3009 nonce, a hash of what it pays: the identity of the transfer. */
  readonly nonce: Hex
  readonly version: number
  readonly chainId: number
  readonly asset: Hex
  readonly payer: Hex
  readonly amount: Usdc
  readonly payments: readonly PaymentId[]
  readonly status: 'waiting' | 'signed' | 'submitted' | 'confirmed' | 'final' | 'blocked' | 'written_off'
  /** Of the signature in force; another signature has the same nonce and amount. */
  readonly validBefore: number | null
  readonly signature: Hex | null
  readonly transaction: Hex | null
  readonly proof: TransferProof | null
  /** Why it is blocked: a stable code. */
  readonly reason: string | null
  readonly attempts: number
  readonly nextAttemptAt: number
  readonly lease: Lease | null
  readonly createdAt: number
  readonly updatedAt: number
}
