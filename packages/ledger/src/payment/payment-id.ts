import { LedgerError } from './ledger-error.ts'
import type { PaymentId } from './payment-record.ts'

/**
 * A new payment id from 16 random bytes that the caller provides.
 *
 * @throws {LedgerError} `invalid_payment` for another number of bytes.
 */
export function createPaymentId(random: Uint8Array): PaymentId {
  if (random.length !== 16) {
    throw new LedgerError(
      'invalid_payment',
      `a payment id takes 16 random bytes, got ${random.length}`,
    )
  }
  const digits = Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return `pay_${digits}` as PaymentId
}

/** Parses a payment id; undefined for anything else. */
export function parsePaymentId(text: string): PaymentId | undefined {
  return /^pay_[0-9a-f]{32}$/.test(text) ? (text as PaymentId) : undefined
}
