import type { PaymentPorts } from '../policy/payment-ports.ts'

/**
 * Deletes what the ledger no longer needs, at most once in `pruneMs`: expired responses, faults of
 * payers that no longer count, and payments that were never paid, `unpaidKeptMs` after they ended.
 */
export function createPruning({
  store,
  clock,
  policy,
}: Pick<PaymentPorts, 'store' | 'clock' | 'policy'>): () => Promise<void> {
  let prunedAt = Number.NEGATIVE_INFINITY
  return async function prune() {
    const now = clock()
    if (now - prunedAt < policy.pruneMs) return
    prunedAt = now
    await store.prune({ now, unpaidBefore: now - policy.unpaidKeptMs })
  }
}
