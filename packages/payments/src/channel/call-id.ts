import { createPaymentId, type PaymentId } from '@farebox/ledger'

/**
 * The id of a payment: the time, and 80 random bits. Ids that rise are entered at one end of the ledger's
 * indexes, where random ones would change a page of each index for every payment.
 */
export function createCallId(now: number, randomBytes: (length: number) => Uint8Array): PaymentId {
  const bytes = new Uint8Array(16)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(now) << 16n)
  bytes.set(randomBytes(10), 6)
  return createPaymentId(bytes)
}
