import type { PaymentPolicy } from './payment-policy.ts'

/** The confirmations that a transfer still needs. */
export type MissingConfirmations = {
  readonly missing: number
  /** How long to wait at least, in milliseconds. */
  readonly minMs: number
}

/** How long a transfer that needs more confirmations need not be checked, in milliseconds. */
export function confirmationWait(
  { blockMs }: Pick<PaymentPolicy, 'blockMs'>,
  { missing, minMs }: MissingConfirmations,
): number {
  return Math.max(minMs, missing * blockMs)
}
