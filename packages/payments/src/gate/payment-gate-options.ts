import type { Hex, LedgerStore } from '@farebox/ledger'
import type { ChainReader } from '../chain/chain.ts'
import type { PaymentNetwork } from '../chain/network.ts'
import type { Observer } from '../events/payment-events.ts'
import type { RefundMinimum } from '../refund-plan/refund-minimum.ts'
import type { Timers } from '../scheduling/timers.ts'
import type { Facilitator } from '../settlement/facilitator.ts'
import type { CheckPayment } from '../signature/check-payment.ts'

export type PaymentGateOptions = {
  readonly store: LedgerStore
  readonly facilitator: Facilitator
  readonly chain: ChainReader
  readonly network: PaymentNetwork
  /** The treasury: receives payments and signs refunds. */
  readonly payTo: Hex
  /** Our other accounts, such as the relayer: they cannot pay us. */
  readonly ownAccounts?: readonly Hex[]
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly randomBytes: (length: number) => Uint8Array
  readonly refundMinimum: RefundMinimum
  /** Names this replica in leases. No two replicas share it. */
  readonly owner: string
  /** How long a 402 may be paid. 300 by default. */
  readonly maxTimeoutSeconds?: number
  /** How long a payment in flight is left alone when its replica is silent. 30 by default. */
  readonly leaseSeconds?: number
  /** How long one service may take before its payment is given back. 3,600 by default. */
  readonly maxServiceSeconds?: number
  /** How long a facilitator may take before its outcome counts as unknown. 30,000 by default. */
  readonly settleTimeoutMs?: number
  /** How long the logs of a settlement may take to show up at our node. 5,000 by default. */
  readonly proofTimeoutMs?: number
  /** How long complete and fail go on trying while the store is down. 10,000 by default. */
  readonly persistTimeoutMs?: number
  /** How long a finished answer is kept for the identical request; 0 keeps none. 600 by default. */
  readonly replaySeconds?: number
  /** How long a settled payment that was not served can be resumed. 60 by default. */
  readonly resumeSeconds?: number
  /** How long, in chain time, an unused authorisation outlives `validBefore`. 60 by default. */
  readonly voidMarginSeconds?: number
  readonly timers?: Timers
  /** The local check of a payment; made from these options when absent. */
  readonly checkPayment?: CheckPayment
  readonly onEvent?: Observer
}

/** Options that cannot work. */
export class PaymentGateOptionsError extends Error {
  override readonly name = 'PaymentGateOptionsError'
  readonly code = 'invalid_payment_gate_options'
  constructor(option: string, value: string) {
    super(`${option} must be above zero and is ${value}`)
  }
}
