import type { PaymentRecord } from '@farebox/ledger'
import { faultReporter } from '../events/fault-reporter.ts'
import { type PaymentPortsOptions, paymentPorts } from '../policy/payment-ports.ts'
import { createLoop, type Loop } from '../scheduling/background-loop.ts'
import { forEachConcurrently } from '../scheduling/for-each-concurrently.ts'
import { createConfirmationCache } from '../settlement/confirmation-cache.ts'
import type { Facilitator } from '../settlement/facilitator.ts'
import type { SettlePorts } from '../settlement/settle-payment.ts'
import { afterOutages, type RoundRules } from './after-outages.ts'
import { createPruning } from './create-pruning.ts'
import { recoverFinality } from './recover-finality.ts'
import { recoverRejected } from './recover-rejected.ts'
import { recoverSettlement } from './recover-settlement.ts'
import { recoverInterrupted, recoverUnserved } from './recover-unserved.ts'
import type { NextCheck, RecoveryPorts } from './recovery-ports.ts'

export type RecoveryOptions = PaymentPortsOptions & {
  /** Resends a payment whose settlement vanished after it was served. */
  readonly facilitator: Facilitator
}

export type Recovery = Loop & {
  /** Checks once every unfinished payment that no other process has leased. */
  runOnce(): Promise<RecoveryRound>
}

/** How many payments a round checked, and how many of them it could not decide. */
export type RecoveryRound = { readonly payments: number; readonly faults: number }

const pageSize = 100
/** How long recovery waits at least after a round in which all payments failed. */
const downPollMs = 5_000
const concurrency = 8

/**
 * Completes every payment that a crash, a fault or a silent client left unfinished. It acts only on
 * the ledger and on what the chain proves, so any number of replicas may run it.
 */
export function createRecovery(options: RecoveryOptions): Recovery {
  const ports = settlePorts(options)
  const { timers, policy } = ports
  const { recoveryPollMs, leaseMs } = policy
  // A longer wait would be taken for an outage of the store.
  const downMs = Math.max(recoveryPollMs, Math.min(downPollMs, leaseMs / 2))
  let waitMs = recoveryPollMs
  const run = async ({ endsServices }: RoundRules): Promise<RecoveryRound> => {
    const confirmationsOf = createConfirmationCache(ports.chain)
    const { rejected, ...round } = await recoverPayments({
      ...ports,
      confirmationsOf,
      endsServices,
    })
    // When all fail, the node is down: the more are open, the more calls each round would cost it.
    const isDown = round.faults > 0 && round.faults >= round.payments - rejected
    waitMs = isDown ? downMs : recoveryPollMs
    return round
  }
  const runRound = afterOutages(ports, run)
  const prune = createPruning(ports)
  const loop = createLoop({
    timers,
    everyMs: () => waitMs,
    work: async () => {
      await runRound()
      await prune()
    },
    onFault: faultReporter(ports, 'recovery'),
  })
  return { ...loop, runOnce: () => run({ endsServices: true }) }
}

/** Its leases are distinct from those of the gate. */
function settlePorts(options: RecoveryOptions): SettlePorts {
  const ports = paymentPorts(options)
  return {
    ...ports,
    facilitator: options.facilitator,
    owner: `${ports.owner}/recovery`,
    // A round does not wait for a proof: the next one finds it.
    policy: { ...ports.policy, proofTimeoutMs: 0 },
  }
}

/**
 * Leases are released after the last page: released earlier, the payments would appear on the next
 * one.
 */
async function recoverPayments(
  ports: RecoveryPorts,
): Promise<RecoveryRound & { readonly rejected: number }> {
  const release: PaymentRecord[] = []
  const rejected: PaymentRecord[] = []
  let payments = 0
  let faults = 0
  for (;;) {
    const page = await leasePage(ports)
    payments += page.length
    await forEachConcurrently(page, concurrency, async (payment) => {
      if (payment.status === 'rejected') {
        rejected.push(payment)
        return
      }
      try {
        const next = await recoverPayment(ports, payment)
        if (next === 'release') release.push(payment)
        else if (next !== 'ended') await leaseUntil(ports, payment, ports.clock() + next.inMs)
      } catch (error) {
        faults += 1
        release.push(payment)
        ports.notify({ type: 'fault', during: 'recovery', error })
      }
    })
    if (page.length < pageSize) break
  }
  faults += await checkRejected(ports, rejected)
  await forEachConcurrently(release, concurrency, (payment) =>
    leaseUntil(ports, payment, ports.clock()),
  )
  return { payments, faults, rejected: rejected.length }
}

/** Checks all rejected payments together; a fault counts once. */
async function checkRejected(
  ports: RecoveryPorts,
  rejected: readonly PaymentRecord[],
): Promise<number> {
  if (rejected.length === 0) return 0
  try {
    const checks = await recoverRejected(ports, rejected)
    await forEachConcurrently([...checks], concurrency, ([payment, at]) =>
      leaseUntil(ports, payment, at ?? ports.clock()),
    )
    return 0
  } catch (error) {
    const { clock, policy, notify } = ports
    notify({ type: 'fault', during: 'recovery', error })
    const retryAt = clock() + policy.watchMs
    await forEachConcurrently(rejected, concurrency, (payment) =>
      leaseUntil(ports, payment, retryAt),
    )
    return 1
  }
}

/** A row that cannot be read stays leased, so that it is reported once a lease. */
function leasePage(ports: RecoveryPorts) {
  const { store, owner, clock, policy } = ports
  const now = clock()
  const until = now + policy.backgroundLeaseMs
  const request = { owner, now, until, limit: pageSize }
  return store.leaseUnfinished(request, faultReporter(ports, 'recovery'))
}

async function leaseUntil(
  { store, owner, clock, notify }: RecoveryPorts,
  payment: PaymentRecord,
  until: number,
): Promise<void> {
  try {
    await store.lease(payment.id, { owner, until, now: clock() })
  } catch (error) {
    // The lease ends by itself.
    notify({ type: 'fault', during: 'recovery', error })
  }
}

async function recoverPayment(ports: RecoveryPorts, payment: PaymentRecord): Promise<NextCheck> {
  switch (payment.status) {
    case 'settling':
    case 'unknown':
      return await recoverSettlement(ports, payment)
    case 'settled':
      return await recoverUnserved(ports, payment)
    case 'serving':
      return ports.endsServices ? await recoverInterrupted(ports, payment) : 'release'
    case 'completed':
    case 'failed':
      return await recoverFinality(ports, payment)
    case 'rejected':
    case 'void':
      return 'release'
  }
}
