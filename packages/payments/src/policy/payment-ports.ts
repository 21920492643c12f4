import type { Hex, LedgerStore } from '@farebox/ledger'
import type { ChainReader } from '../chain/chain.ts'
import { type Observer, safeObserver } from '../events/payment-events.ts'
import { systemTimers, type Timers } from '../scheduling/timers.ts'
import { type PaymentPolicy, paymentPolicy } from './payment-policy.ts'
import type { RefundMinimum } from './refund-minimum.ts'

/** What the gate, recovery, the refund worker and the treasury monitor share. */
export type PaymentPorts = {
  readonly store: LedgerStore
  readonly chain: ChainReader
  /** The smallest refund that is worth a transfer; smaller ones are batched per payer. */
  readonly refundMinimum: RefundMinimum
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly timers: Timers
  readonly notify: Observer
  /** Names this replica in leases. No two replicas share it. */
  readonly owner: string
  readonly policy: PaymentPolicy
  /** Settles payments, unless a facilitator does. Lower-case hexadecimal. */
  readonly relayer?: Hex | undefined
}

export type PaymentPortsOptions = Omit<PaymentPorts, 'timers' | 'notify' | 'policy'> & {
  /** What differs from `defaultPaymentPolicy`. */
  readonly policy?: Partial<PaymentPolicy>
  readonly timers?: Timers
  readonly onEvent?: Observer
}

/** @throws {PaymentPolicyError} when a time that must be above zero is not. */
export function paymentPorts(options: PaymentPortsOptions): PaymentPorts {
  const { store, chain, refundMinimum, clock, owner } = options
  return {
    store,
    chain,
    refundMinimum,
    clock,
    owner,
    relayer: options.relayer,
    timers: options.timers ?? systemTimers,
    notify: safeObserver(options.onEvent),
    policy: paymentPolicy(options.policy),
  }
}
