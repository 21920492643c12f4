import type { PaymentPorts } from '../policy/payment-ports.ts'

/** What a round may do. */
export type RoundRules = {
  /** Whether it may end services whose leases have run out. */
  readonly endsServices: boolean
}

/**
 * Leases run out, though the services that they are for continue, while the store is down, while this
 * process stands still, and when its clock is set forward. After that, a round waits until the store
 * has been up for a lease: by then the processes that still run have renewed theirs. For as long after
 * its start, a process ends no services: it may have started as an outage ended.
 */
export function afterOutages(
  { store, clock, policy }: Pick<PaymentPorts, 'store' | 'clock' | 'policy'>,
  round: (rules: RoundRules) => Promise<unknown>,
): () => Promise<void> {
  let isDown = false
  let startedAt: number | undefined
  let upSince = Number.NEGATIVE_INFINITY
  let endedAt = Number.POSITIVE_INFINITY

  async function work(): Promise<void> {
    if (isDown) await store.ping()
    if (isDown || clock() - endedAt > policy.leaseMs) upSince = clock()
    isDown = false
    // The clock may have been set back.
    const isWithinLease = (since: number): boolean => Math.abs(clock() - since) < policy.leaseMs
    if (isWithinLease(upSince)) return
    startedAt ??= clock()
    isDown = true
    await round({ endsServices: !isWithinLease(startedAt) })
    isDown = false
  }

  return async function workAndNote() {
    try {
      await work()
    } finally {
      endedAt = clock()
    }
  }
}
