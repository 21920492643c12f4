import { atomicUsdc } from '@farebox/money'
import type { PaymentRecord } from '../payment/payment-record.ts'
import type { LedgerStore, StoredAnswer } from '../store/ledger-store.ts'
import type { ConformanceCase } from './conformance-case.ts'
import { live, settled, start } from './fixtures.ts'

const answer: StoredAnswer = {
  statusCode: 200,
  contentType: 'application/json',
  body: new Uint8Array([0, 1, 127, 128, 255]),
  expiresAt: start + 60_000,
}

/** Answers are kept with the event that ends the service, for as long as they are said to be. */
export const answerCases: readonly ConformanceCase[] = [
  {
    name: 'an answer is stored with its event, byte for byte, until it expires',
    run: async ({ store, other }, expect) => {
      const payment = await answered(store, 1)
      expect(await other.loadAnswer(payment.id, start + 59_999)).toEqual(answer)
      expect(await other.loadAnswer(payment.id, start + 60_000)).toBe(undefined)
    },
  },
  {
    name: 'an answer is not stored when its event finds a conflict',
    run: async ({ store }, expect) => {
      const payment = await settled(store, 1)
      const serving = await live(store, payment, [{ type: 'service_started', at: start }])
      const outcome = await store.apply(payment, { type: 'service_started', at: start }, answer)
      expect(outcome.status).toBe('conflict')
      expect(await store.loadAnswer(serving.id, start)).toBe(undefined)
    },
  },
  {
    name: 'prune deletes what expired and nothing else',
    run: async ({ store }, expect) => {
      const payment = await answered(store, 1)
      await store.prune(start + 59_999)
      expect(await store.loadAnswer(payment.id, start)).toEqual(answer)
      await store.prune(start + 60_000)
      expect(await store.loadAnswer(payment.id, start)).toBe(undefined)
      expect(await store.load(payment.id)).toEqual(payment)
    },
  },
  {
    name: 'ping resolves while the store takes writes',
    run: async ({ store, other }, expect) => {
      expect(await store.ping()).toBe(undefined)
      expect(await other.ping()).toBe(undefined)
    },
  },
]

async function answered(store: LedgerStore, number: number): Promise<PaymentRecord> {
  const serving = await live(store, await settled(store, number), [
    { type: 'service_started', at: start },
  ])
  const outcome = await store.apply(
    serving,
    {
      type: 'service_completed',
      cost: atomicUsdc(1_000n),
      usage: null,
      refund: { kind: 'accrue' },
      at: start,
    },
    answer,
  )
  return outcome.payment
}
