import {
  isServable,
  type PayerFaultCause,
  type PaymentRecord,
  reconcile,
  type StoredAnswer,
} from '@farebox/ledger'
import { isUnpriced } from '../refund-plan/refund-in-full.ts'
import { planRefund } from '../refund-plan/refund-plan.ts'
import { pause } from '../scheduling/timers.ts'
import { type Advance, advancePayment } from '../settlement/advance-payment.ts'
import type { GatePorts } from './gate-ports.ts'
import type {
  AbandonCause,
  KeptAnswer,
  PaymentGate,
  ServedOutcome,
  ServiceFailure,
} from './payment-gate.ts'

/**
 * Records that the one upstream call is about to be made. After a fault it is unknown whether it
 * was recorded: then nothing may be served, and the identical request resumes the payment, or
 * recovery refunds it.
 */
export async function beginService(
  ports: GatePorts,
  payment: PaymentRecord,
): ReturnType<PaymentGate['begin']> {
  const { store, leases, clock, owner, admissions } = ports
  const now = clock()
  // The service began with the proof or the admission.
  const isBegun = payment.status === 'serving' && leases.holds(payment.id)
  if (isBegun && leases.isFresh(payment)) return { status: 'begun', payment }
  try {
    // A service must never run on a lease that recovery may treat as abandoned.
    if (!leases.isFresh(payment)) {
      const leased = await store.lease(payment.id, { owner, until: leases.until(), now })
      if (leased === undefined) return endedElsewhere(ports, payment)
      if (isBegun) return resumeBegun(ports, leased)
    }
    const advance = await advancePayment(store, payment, {
      eventFor: (current) => (isServable(current) ? { type: 'service_started', at: now } : null),
    })
    if (advance.status === 'superseded') return admissions.inFlight(advance.payment)
    leases.enter(advance.payment, 'serving')
    return { status: 'begun', payment: advance.payment }
  } catch (error) {
    leases.leave(payment.id)
    ports.notify({ type: 'fault', during: 'admission', error })
    return admissions.unknown(payment)
  }
}

/** A service that began with a lease that was running out: recovery may have ended it before. */
function resumeBegun(
  ports: GatePorts,
  leased: PaymentRecord,
): Awaited<ReturnType<PaymentGate['begin']>> {
  if (leased.status !== 'serving') return endedElsewhere(ports, leased)
  ports.leases.enter(leased, 'serving')
  return { status: 'begun', payment: leased }
}

/** Renewed any longer, its lease would keep recovery from watching its settlement. */
function endedElsewhere(
  { leases, admissions }: GatePorts,
  payment: PaymentRecord,
): Awaited<ReturnType<PaymentGate['begin']>> {
  leases.leave(payment.id)
  return admissions.inFlight(payment)
}

/**
 * Fixes the cost of a service and how the rest is refunded, with the kept response, in one
 * transaction. If recovery took the payment over in the meantime, the result is `superseded`.
 */
export async function completeService(
  ports: GatePorts,
  payment: PaymentRecord,
  outcome: ServedOutcome,
): Promise<Advance> {
  const { model, cost: price, usage, providerCost, answer } = outcome
  const { cost, refund: rest } = reconcile(payment.authorization.value, price)
  const refund = planRefund(ports, payment, rest)
  const at = ports.clock()
  const advance = await persist(ports, payment, () =>
    advancePayment(ports.store, payment, {
      eventFor: (current) =>
        current.status === 'serving'
          ? { type: 'service_completed', model, cost, usage, providerCost, refund, at }
          : null,
      answer: storedAnswer(ports, answer),
    }),
  )
  if (advance.status === 'applied') {
    ports.revertRisk.paid(payment, cost)
    ports.notify({ type: 'payment_completed', payment: advance.payment })
    await countFault(ports, payment, { ...outcome, cause: 'client_left' })
  }
  return advance
}

/** Refunds everything, durably. */
export async function failService(
  ports: GatePorts,
  payment: PaymentRecord,
  failure: ServiceFailure,
): Promise<Advance> {
  const { reason, answer } = failure
  const refund = planRefund(ports, payment, payment.authorization.value)
  const at = ports.clock()
  const advance = await persist(ports, payment, () =>
    advancePayment(ports.store, payment, {
      eventFor: (current) =>
        isUnpriced(current) ? { type: 'service_failed', reason, refund, at } : null,
      answer: storedAnswer(ports, answer),
    }),
  )
  if (advance.status === 'applied') {
    ports.notify({ type: 'payment_failed', payment: advance.payment, reason })
    await countFault(ports, payment, { ...failure, cause: 'request_rejected' })
  }
  return advance
}

type Fault = Pick<ServedOutcome, 'faultOf' | 'unpaidCost' | 'clientAddress'> & {
  readonly cause: PayerFaultCause
}

/** Counts what the payer is to blame for against it, and with what the provider may bill against its network address. */
async function countFault(
  { unservedBudget, payerBudget, policy }: GatePorts,
  payment: PaymentRecord,
  { faultOf, unpaidCost, clientAddress, cause }: Fault,
): Promise<void> {
  const size = Number(unpaidCost ?? 0n) / Number(policy.unservedCost)
  if (faultOf === 'payer') {
    unservedBudget.count(payment, clientAddress, Math.max(1, size))
    await payerBudget.count({ payment, cause })
  } else if (size > 0) {
    unservedBudget.count(payment, clientAddress, size)
  }
}

export type Abandoned = {
  readonly payment: PaymentRecord
  readonly cause: AbandonCause
  readonly clientAddress: string | undefined
}

/** The payment stays settled; without a lease the identical request may resume it at once. */
export async function abandonService(
  ports: GatePorts,
  { payment, cause, clientAddress }: Abandoned,
): Promise<void> {
  const { store, leases, owner, clock, notify } = ports
  // Counted before the lease ends, since a request that resumes the payment takes it back.
  if (cause === 'client_left') {
    ports.unservedBudget.count(payment, clientAddress)
    await ports.payerBudget.count({ payment, cause })
  }
  leases.leave(payment.id)
  const now = clock()
  try {
    await store.lease(payment.id, { owner, until: now, now })
  } catch (error) {
    notify({ type: 'fault', during: 'admission', error })
  }
}

/**
 * A brief outage of the store must not turn a served payment into a free one. Retrying is safe: a
 * write that succeeded unnoticed is found by the compare-and-set.
 */
async function persist(
  ports: GatePorts,
  payment: PaymentRecord,
  write: () => Promise<Advance>,
): Promise<Advance> {
  const { clock, timers, notify, leases, policy } = ports
  const deadline = clock() + policy.persistTimeoutMs
  try {
    for (let wait = 100; ; wait = Math.min(wait * 2, 2_000)) {
      try {
        return await write()
      } catch (error) {
        notify({ type: 'fault', during: 'admission', error })
        if (clock() + wait > deadline) throw error
        await pause(timers, wait)
      }
    }
  } finally {
    leases.leave(payment.id)
  }
}

function storedAnswer(
  { policy, clock }: GatePorts,
  answer: KeptAnswer | null,
): StoredAnswer | null {
  if (answer === null || policy.replayMs === 0) return null
  return { ...answer, expiresAt: clock() + policy.replayMs }
}
