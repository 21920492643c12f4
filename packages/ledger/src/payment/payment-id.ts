import { LedgerError } from './ledger-error.ts'
import type { PaymentId } from './payment-record.ts'

const randomByteCount = 10
const timeLimit = 2 ** 48

/**
 * A new payment id from the time, in milliseconds since 1970, and 10 random bytes that the caller
 * provides. Ids that rise are entered at one end of the ledger's indexes; random ones would change a
 * page of each index for every payment.
 *
 * @throws {LedgerError} `invalid_payment` for another number of bytes, or a time that is not a whole
 * number of milliseconds.
 */
export function createPaymentId(at: number, random: Uint8Array): PaymentId {
  if (!Number.isInteger(at) || at < 0 || at >= timeLimit) {
    throw new LedgerError('invalid_payment', `the time of a payment id is not valid: ${at}`)
  }
  if (random.length !== randomByteCount) {
    throw new LedgerError(
      'invalid_payment',
      `a payment id takes ${randomByteCount} random bytes, got ${random.length}`,
    )
  }
  const digits = Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return `pay_${at.toString(16).padStart(12, '0')}${digits}` as PaymentId
}

/** Parses a payment id; undefined for anything else. */
export function parsePaymentId(text: string): PaymentId | undefined {
  return /^pay_[0-9a-f]{32}$/.test(text) ? (text as PaymentId) : undefined
}
