import type { Usdc } from '@farebox/money'
import type { PaymentId } from '../payment/payment-record.ts'

export type Account =
  | 'treasury'
  | 'liability'
  | 'revenue'
  | 'refunds_payable'
  | 'payer_credit'
  | 'suspense'
  | 'absorbed_loss'
  | 'written_off'

/** One movement between two accounts: it balances by construction. Corrected only by its reverse. */
export type LedgerEntry = {
  readonly paymentId: PaymentId
  readonly debit: Account
  readonly credit: Account
  /** Above zero. */
  readonly amount: Usdc
  readonly at: number
}
