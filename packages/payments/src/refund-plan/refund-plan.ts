import type { PaymentRecord, RefundPlan } from '@farebox/ledger'
import type { Usdc } from '@farebox/money'
import { refundNonce } from './refund-nonce.ts'

/**
 * How an overpayment goes back: alone when it is worth its gas, else added up with the payer's
 * others. The transfer's nonce comes from the payment's identity on the chain alone.
 */
export function planRefund(
  { authorization }: PaymentRecord,
  amount: Usdc,
  minimum: Usdc,
): RefundPlan {
  return amount >= minimum
    ? { kind: 'transfer', nonce: refundNonce(authorization) }
    : { kind: 'accrue' }
}
