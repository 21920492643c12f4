import type { Hex, LedgerStore } from '@farebox/ledger'
import { quietObserver } from '../events/payment-events.ts'
import type { RefundMinimum } from '../refund-plan/refund-minimum.ts'
import { systemTimers } from '../scheduling/timers.ts'
import type { SettlePorts } from '../settlement/settle-payment.ts'
import { type CheckPayment, createPaymentCheck } from '../signature/check-payment.ts'
import type { PaymentTerms } from '../wire/payment-requirements.ts'
import { type Admissions, createAdmissions } from './admissions.ts'
import { type PaymentGateOptions, PaymentGateOptionsError } from './payment-gate-options.ts'
import { createPaymentLeases, type PaymentLeases } from './payment-leases.ts'

/** What the parts of a gate share: its options, checked, with their defaults. */
export type GatePorts = SettlePorts & {
  readonly store: LedgerStore
  readonly terms: PaymentTerms
  readonly admissions: Admissions
  readonly leases: PaymentLeases
  readonly checkPayment: CheckPayment
  readonly refundMinimum: RefundMinimum
  readonly randomBytes: (length: number) => Uint8Array
  readonly owner: string
  readonly replayMs: number
  readonly resumeMs: number
  readonly persistTimeoutMs: number
}

/** @throws {PaymentGateOptionsError} when a time is not above zero. */
export function gatePorts(options: PaymentGateOptions): GatePorts {
  const { store, facilitator, chain, network, clock, randomBytes, refundMinimum, owner } = options
  const timers = options.timers ?? systemTimers
  const notify = quietObserver(options.onEvent)
  const terms = {
    network,
    payTo: options.payTo,
    maxTimeoutSeconds: above('maxTimeoutSeconds', options.maxTimeoutSeconds ?? 300),
  }
  const leaseMs = above('leaseSeconds', options.leaseSeconds ?? 30) * 1000
  const maxServiceMs = above('maxServiceSeconds', options.maxServiceSeconds ?? 3_600) * 1000
  return {
    store,
    facilitator,
    chain,
    clock,
    timers,
    notify,
    terms,
    randomBytes,
    refundMinimum,
    owner,
    rules: { voidMarginSeconds: options.voidMarginSeconds ?? 60 },
    settleTimeoutMs: above('settleTimeoutMs', options.settleTimeoutMs ?? 30_000),
    proofTimeoutMs: options.proofTimeoutMs ?? 5_000,
    persistTimeoutMs: options.persistTimeoutMs ?? 10_000,
    resumeMs: (options.resumeSeconds ?? 60) * 1000,
    replayMs: (options.replaySeconds ?? 600) * 1000,
    admissions: createAdmissions(terms),
    leases: createPaymentLeases({ store, owner, leaseMs, maxServiceMs, clock, timers, notify }),
    checkPayment: options.checkPayment ?? defaultCheck(options),
  }
}

function defaultCheck({ network, payTo, ownAccounts, chain }: PaymentGateOptions): CheckPayment {
  const accounts: readonly Hex[] = ownAccounts ?? []
  return createPaymentCheck({ network, payTo, ownAccounts: accounts, chain })
}

function above(option: string, value: number): number {
  if (value > 0) return value
  throw new PaymentGateOptionsError(option, `${value}`)
}
