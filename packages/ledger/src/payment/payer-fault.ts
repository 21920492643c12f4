import type { PaymentId } from './payment-record.ts'

/**
 * How a payer made a payment end unserved.
 *
 * - `client_left`: it disconnected after its settlement was sent and before its service began, or before it
 *   had to pay for what its service cost
 * - `request_rejected`: the provider rejected the request itself, or could not finish what it asked for
 * - `settlement_reverted`: the settlement was mined and failed, or did so before it was sent while the
 *   service had started
 */
export const payerFaultCauses = ['client_left', 'request_rejected', 'settlement_reverted'] as const

export type PayerFaultCause = (typeof payerFaultCauses)[number]

/** A payment that ended unserved because of its payer, for which the operator paid gas or a provider. */
export type PayerFault = {
  readonly paymentId: PaymentId
  /** What it counts against: the payer's address, or the hash of the code that decides for it. */
  readonly subject: string
  readonly cause: PayerFaultCause
  /** Until when it counts, in milliseconds since 1970. */
  readonly expiresAt: number
}
