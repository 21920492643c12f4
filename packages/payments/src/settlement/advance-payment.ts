import type { LedgerStore, PaymentEvent, PaymentRecord, StoredAnswer } from '@farebox/ledger'

/** `passed` when the payment has moved on and the event is not due any more. */
export type Advance = {
  readonly status: 'applied' | 'passed'
  readonly payment: PaymentRecord
}

/**
 * Applies an event to a payment by compare-and-set. Whenever somebody else was faster, `eventFor`
 * is asked anew with the record as it now is; null means that there is nothing left to do.
 */
export async function advancePayment(
  store: Pick<LedgerStore, 'apply'>,
  payment: PaymentRecord,
  step: {
    readonly eventFor: (payment: PaymentRecord) => PaymentEvent | null
    readonly answer?: StoredAnswer | null
  },
): Promise<Advance> {
  let current = payment
  for (;;) {
    const event = step.eventFor(current)
    if (event === null) return { status: 'passed', payment: current }
    const outcome = await store.apply(current, event, step.answer ?? undefined)
    if (outcome.status === 'applied') return { status: 'applied', payment: outcome.payment }
    current = outcome.payment
  }
}
