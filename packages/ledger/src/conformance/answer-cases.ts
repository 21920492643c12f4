import { atomicUsdc } from '@farebox/money'
import type { PaymentRecord } from '../payment/payment-record.ts'
import type { LedgerStore, StoredAnswer } from '../store/ledger-store.ts'
import type { ConformanceCase } from './conformance-case.ts'
import { applyEvents, settled, start } from './fixtures.ts'

const answer: StoredAnswer = {
  statusCode: 200,
  contentType: 'application/json',
  body: new Uint8Array([0, 1, 127, 128, 255]),
  expiresAt: start + 60_000,
}

/** Answers are stored with the event that ends the service, until they expire. */
export const answerCases: readonly ConformanceCase[] = [
  {
    name: 'an answer is stored with its event and kept unchanged until it expires',
    run: async ({ store, other }, expect) => {
      const payment = await answered(store, 1)
      expect(await other.loadAnswer(payment.id, start + 59_999)).toEqual(answer)
      expect(await other.loadAnswer(payment.id, start + 60_000)).toBe(undefined)
    },
  },
  {
    name: 'an answer is not stored if its event is a conflict',
    run: async ({ store }, expect) => {
      const payment = await settled(store, 1)
      const serving = await applyEvents(store, payment, [{ type: 'service_started', at: start }])
      const outcome = await store.apply(payment, { type: 'service_started', at: start }, answer)
      expect(outcome.status).toBe('conflict')
      expect(await store.loadAnswer(serving.id, start)).toBe(undefined)
    },
  },
  {
    name: 'prune deletes only expired answers',
    run: async ({ store }, expect) => {
      const payment = await answered(store, 1)
      await store.prune({ now: start + 59_999, unpaidBefore: start })
      expect(await store.loadAnswer(payment.id, start)).toEqual(answer)
      await store.prune({ now: start + 60_000, unpaidBefore: start })
      expect(await store.loadAnswer(payment.id, start)).toBe(undefined)
      expect(await store.load(payment.id)).toEqual(payment)
    },
  },
  {
    name: 'ping resolves while the store accepts writes',
    run: async ({ store, other }, expect) => {
      expect(await store.ping()).toBe(undefined)
      expect(await other.ping()).toBe(undefined)
    },
  },
]

async function answered(store: LedgerStore, number: number): Promise<PaymentRecord> {
  const serving = await applyEvents(store, await settled(store, number), [
    { type: 'service_started', at: start },
  ])
  const outcome = await store.apply(
    serving,
    {
      type: 'service_completed',
      cost: atomicUsdc(1_000n),
      usage: null,
      refund: { kind: 'batch' },
      at: start,
    },
    answer,
  )
  return outcome.payment
}
