import type { PaymentPolicy } from './payment-policy.ts'

/** What a transfer waits for. */
export type MissingConfirmations = {
  readonly missing: number
  /** How long to wait at least, in milliseconds. */
  readonly leastMs: number
}

/** How long a transfer can be left alone that needs more confirmations, in milliseconds. */
export function confirmationWait(
  { blockMs }: Pick<PaymentPolicy, 'blockMs'>,
  { missing, leastMs }: MissingConfirmations,
): number {
  return Math.max(leastMs, missing * blockMs)
}
