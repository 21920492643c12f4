import type { PaymentRecord, RefundPlan } from '@farebox/ledger'
import type { Usdc } from '@farebox/money'
import { confirmationWait } from '../policy/confirmation-wait.ts'
import type { PaymentPorts } from '../policy/payment-ports.ts'
import { refundNonce } from './refund-nonce.ts'

/**
 * How an overpayment is refunded: in its own transfer when it is worth the gas, otherwise batched
 * with the payer's other small refunds. The nonce is derived from the payment's identity on the chain.
 * The rest of a call stays in its channel, whatever the plan: it gets the one that costs nothing.
 */
export function planRefund(
  { policy, refundMinimum }: Pick<PaymentPorts, 'policy' | 'refundMinimum'>,
  { kind, authorization, updatedAt }: PaymentRecord,
  amount: Usdc,
): RefundPlan {
  if (kind === 'channel_call' || amount < refundMinimum.current()) return { kind: 'batch' }
  const missing = policy.refundConfirmations - 1
  // The settlement was proven no later than this.
  const dueAt = updatedAt + confirmationWait(policy, { missing, minMs: 0 })
  return { kind: 'transfer', nonce: refundNonce(authorization), dueAt }
}
