import type { LedgerStore, PaymentId, PaymentRecord } from '@farebox/ledger'
import type { Observer } from '../events/payment-events.ts'
import type { Timers } from '../scheduling/timers.ts'

/**
 * What a replica is doing with a payment. A resumed payment has no lease yet; an admitted one waits
 * for its service to begin.
 */
export type LeasePhase = 'settling' | 'resuming' | 'admitted' | 'serving'

export type PaymentLeases = {
  /** Whether this replica is working on the payment. */
  holds(id: PaymentId): boolean
  /** Marks a payment as in progress here until `leave`, and renews its lease from now on. */
  enter(payment: PaymentRecord, phase: LeasePhase): void
  leave(id: PaymentId): void
  /**
   * Whether this replica holds the payment's lease with more than half of its time left, even if the
   * record is from before its last renewal.
   */
  isFresh(payment: PaymentRecord): boolean
  /** When a lease that is acquired now expires. */
  until(): number
  close(): void
}

export type PaymentLeasesOptions = {
  readonly store: Pick<LedgerStore, 'lease'>
  readonly owner: string
  readonly leaseMs: number
  /**
   * The lease of a longer service is released, so that a caller that never ends it does not hold it
   * forever. Measured in heartbeats: the clock may be set.
   */
  readonly maxServiceMs: number
  readonly clock: () => number
  readonly timers: Timers
  readonly notify: Observer
}

type Held = {
  readonly phase: LeasePhase
  readonly until: number
  readonly beats: number
  /** The last renewal found the payment in other hands, or ended. */
  readonly isLost: boolean
}
type HeldPayments = Map<PaymentId, Held>

/**
 * Renews the leases of the payments in flight, so that no other replica treats them as abandoned. One
 * timer runs while anything is in flight; only leases with less than five sixths of their time left
 * are written, all together, so that the store can group them. So each has at least half of its time
 * left, which a service needs to begin. A payment that was admitted and not begun is released when its
 * lease expires.
 */
export function createPaymentLeases(options: PaymentLeasesOptions): PaymentLeases {
  const { owner, leaseMs, clock } = options
  const held: HeldPayments = new Map()
  const heartbeat = createHeartbeat(options, held)

  return {
    holds(id) {
      const entry = held.get(id)
      return entry !== undefined && (entry.phase !== 'admitted' || entry.until > clock())
    },
    enter(payment, phase) {
      const until = payment.lease?.owner === owner ? payment.lease.until : clock()
      held.set(payment.id, { phase, until, beats: 0, isLost: false })
      heartbeat.arm()
    },
    leave(id) {
      held.delete(id)
    },
    isFresh({ id, lease }) {
      if (lease?.owner !== owner) return false
      const until = Math.max(lease.until, held.get(id)?.until ?? 0)
      return until - clock() > leaseMs / 2
    },
    until: () => clock() + leaseMs,
    close() {
      heartbeat.close()
      held.clear()
    },
  }
}

function createHeartbeat(
  options: PaymentLeasesOptions,
  held: HeldPayments,
): { arm(): void; close(): void } {
  let cancelBeat: (() => void) | null = null
  let closed = false

  function arm(): void {
    if (cancelBeat !== null || closed || held.size === 0) return
    cancelBeat = options.timers.after(beatMs(options), () => {
      void beat(options, held).finally(() => {
        cancelBeat = null
        arm()
      })
    })
  }

  return {
    arm,
    close() {
      closed = true
      cancelBeat?.()
    },
  }
}

function beatMs({ leaseMs }: PaymentLeasesOptions): number {
  return leaseMs / 3
}

/** Never rejects: a lease that cannot be written now is written at the next heartbeat. */
async function beat(options: PaymentLeasesOptions, held: HeldPayments): Promise<void> {
  const now = options.clock()
  const maxBeats = options.maxServiceMs / beatMs(options)
  for (const [id, entry] of held) {
    const { phase, until, beats } = entry
    const isExpired = phase === 'admitted' ? until <= now : beats >= maxBeats
    if (isExpired) held.delete(id)
    else held.set(id, { ...entry, beats: beats + 1 })
  }
  const due = [...held].filter(
    ([, { phase, until }]) =>
      (phase === 'settling' || phase === 'serving') && until - now < (options.leaseMs * 5) / 6,
  )
  await Promise.all(due.map(([id]) => renew(options, held, id)))
}

async function renew(
  { store, owner, leaseMs, clock, notify }: PaymentLeasesOptions,
  held: HeldPayments,
  id: PaymentId,
): Promise<void> {
  const now = clock()
  const until = now + leaseMs
  try {
    const payment = await store.lease(id, { owner, until, now })
    const current = held.get(id)
    if (current === undefined) return
    if (payment !== undefined) {
      held.set(id, { ...current, until, isLost: false })
      return
    }
    held.set(id, { ...current, isLost: true })
    if (!current.isLost) notify({ type: 'lease_lost', paymentId: id })
  } catch (error) {
    notify({ type: 'fault', during: 'heartbeat', error })
  }
}
