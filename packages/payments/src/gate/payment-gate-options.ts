import type { Hex } from '@farebox/ledger'
import type { PaymentNetwork } from '../chain/network.ts'
import type { PayerLimits } from '../policy/payer-limits.ts'
import type { PaymentPortsOptions } from '../policy/payment-ports.ts'
import type { Facilitator } from '../settlement/facilitator.ts'
import type { CheckPayment } from '../signature/check-payment.ts'

export type PaymentGateOptions = PaymentPortsOptions & {
  readonly facilitator: Facilitator
  readonly network: PaymentNetwork
  /** The treasury: receives payments and signs refunds. */
  readonly payTo: Hex
  /** Our other accounts, such as the relayer: they cannot pay us. */
  readonly ownAccounts?: readonly Hex[]
  /** What a payer may buy, asked for each payment; nothing limits it by default. */
  readonly payerLimits?: ((payer: Hex) => PayerLimits) | undefined
  readonly randomBytes: (length: number) => Uint8Array
  /** The local check of a payment; created from these options by default. */
  readonly checkPayment?: CheckPayment
}
