import type { PaymentRecord, RefundPlan } from '@farebox/ledger'
import type { Usdc } from '@farebox/money'
import { refundNonce } from './refund-nonce.ts'

/**
 * How an overpayment is refunded: in its own transfer when it is worth the gas, otherwise batched
 * with the payer's other small refunds. The nonce is derived from the payment's identity on the chain.
 */
export function planRefund(
  { authorization }: PaymentRecord,
  amount: Usdc,
  minimum: Usdc,
): RefundPlan {
  return amount >= minimum
    ? { kind: 'transfer', nonce: refundNonce(authorization) }
    : { kind: 'batch' }
}
