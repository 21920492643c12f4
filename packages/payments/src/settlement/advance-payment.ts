import type {
  ChannelRecord,
  LedgerStore,
  PaymentEvent,
  PaymentRecord,
  StoredAnswer,
} from '@farebox/ledger'

/** `superseded` when the payment has moved on and the event no longer applies. */
export type Advance = {
  readonly status: 'applied' | 'superseded'
  readonly payment: PaymentRecord
  /** The channel, if the event changed one. */
  readonly channel?: ChannelRecord | undefined
}

/**
 * Applies an event to a payment by compare-and-set. Whenever another process was faster, `eventFor`
 * is called again with the current record; null means that nothing is left to do.
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
    if (event === null) return { status: 'superseded', payment: current }
    const outcome = await store.apply(current, event, step.answer ?? undefined)
    if (outcome.status === 'applied') return outcome
    current = outcome.payment
  }
}
