import type { PaymentPorts } from '../policy/payment-ports.ts'

/**
 * Leases run out, though the services that they are for continue, while the store is down, while this
 * process stands still, and when its clock is set forward. After that, a round waits until the store
 * has been up for a lease: by then the processes that still run have renewed theirs. So it does after
 * the start of this process, which may have begun as an outage ended.
 */
export function afterOutages(
  { store, clock, policy }: Pick<PaymentPorts, 'store' | 'clock' | 'policy'>,
  round: () => Promise<unknown>,
): () => Promise<void> {
  let isDown = true
  let upSince = Number.NEGATIVE_INFINITY
  let endedAt = Number.POSITIVE_INFINITY

  async function work(): Promise<void> {
    if (isDown) await store.ping()
    if (isDown || clock() - endedAt > policy.leaseMs) upSince = clock()
    isDown = false
    // The clock may have been set back.
    if (Math.abs(clock() - upSince) < policy.leaseMs) return
    isDown = true
    await round()
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
