import type { Usdc } from '@farebox/money'
import type { PaymentId } from '../payment/payment-record.ts'

export const accounts = [
  'treasury',
  'liability',
  'revenue',
  'refunds_payable',
  'payer_credit',
  'suspense',
  'absorbed_loss',
  'written_off',
  'escrow',
  'payer_channel',
] as const

export type Account = (typeof accounts)[number]

/** A movement between two accounts, which always balances. Only its reverse corrects it. */
export type LedgerEntry = {
  readonly paymentId: PaymentId
  readonly debit: Account
  readonly credit: Account
  /** Always positive. */
  readonly amount: Usdc
  readonly at: number
}
