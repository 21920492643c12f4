import { LedgerError } from './ledger-error.ts'
import type { PaymentId } from './payment-record.ts'

/**
 * A new payment id from 16 random bytes, which the caller draws from the system.
 *
 * @throws {LedgerError} `invalid_payment` for another number of bytes.
 */
export function createPaymentId(random: Uint8Array): PaymentId {
  if (random.length !== 16) {
    throw new LedgerError(
      'invalid_payment',
      `a payment id takes 16 random bytes, not ${random.length}`,
    )
  }
  const digits = Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return `pay_${digits}` as PaymentId
}

/** Reads a payment id; undefined for any other text. */
export function parsePaymentId(text: string): PaymentId | undefined {
  return /^pay_[0-9a-f]{32}$/.test(text) ? (text as PaymentId) : undefined
}
