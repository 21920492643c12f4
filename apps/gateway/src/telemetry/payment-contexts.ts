import type { PaymentId } from '@farebox/ledger'
import type { SpanContext } from '@opentelemetry/api'

/** The traces of payments, to which their refunds are joined. */
export type PaymentContexts = {
  /**
   * Keeps the trace of the first request that presents a payment; a repeated request is another
   * trace.
   */
  keep(id: PaymentId, context: SpanContext): void
  /** Undefined after a restart, on another replica, or once many more payments were made. */
  of(id: PaymentId): SpanContext | undefined
}

/** Keeps the contexts of the latest payments in memory. */
export function createPaymentContexts(limit = 10_000): PaymentContexts {
  const contexts = new Map<PaymentId, SpanContext>()
  return {
    keep: (id, context) => {
      if (contexts.has(id)) return
      contexts.set(id, context)
      const [oldest] = contexts.keys()
      if (contexts.size > limit && oldest !== undefined) contexts.delete(oldest)
    },
    of: (id) => contexts.get(id),
  }
}
