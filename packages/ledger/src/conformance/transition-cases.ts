import { atomicUsdc } from '@farebox/money'
import type { ConformanceCase } from './conformance-case.ts'
import {
  applyEvents,
  bookErrors,
  claimed,
  completed,
  exported,
  paymentOf,
  proof,
  refundNonce,
  settled,
  start,
  withRefundDue,
} from './fixtures.ts'

/** Each event is applied once and atomically, together with its entries. */
export const transitionCases: readonly ConformanceCase[] = [
  {
    name: 'an event writes the record and its entries',
    run: async ({ store, other }, expect) => {
      const payment = await settled(store, 1)
      expect(payment.status).toBe('settled')
      expect(payment.version).toBe(2)
      expect(await other.load(payment.id)).toEqual(payment)
      const [line] = await exported(other)
      expect(line?.entries).toEqual([
        {
          paymentId: payment.id,
          debit: 'treasury',
          credit: 'liability',
          amount: atomicUsdc(1_000n),
          at: start + 1_000,
        },
      ])
    },
  },
  {
    name: 'of two events on one version, the second is a conflict and writes nothing',
    run: async ({ store, other }, expect) => {
      const payment = await settled(store, 1)
      const started = await store.apply(payment, { type: 'service_started', at: start })
      const late = await other.apply(payment, {
        type: 'service_failed',
        reason: 'not_served',
        refund: { kind: 'batch' },
        at: start,
      })
      expect(started.status).toBe('applied')
      expect(late).toEqual({ status: 'conflict', payment: started.payment })
      expect(await bookErrors(store)).toEqual([])
    },
  },
  {
    name: 'of 50 concurrent service starts, one succeeds',
    run: async ({ store, other }, expect) => {
      const payment = await settled(store, 1)
      const outcomes = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          (index % 2 === 0 ? store : other).apply(payment, { type: 'service_started', at: start }),
        ),
      )
      expect(outcomes.filter(({ status }) => status === 'applied').length).toBe(1)
    },
  },
  {
    name: 'a service that begins with the proof cannot begin again',
    run: async ({ store, other }, expect) => {
      const payment = await claimed(store, 1)
      const begins = {
        type: 'settlement_proven',
        proof: proof(1),
        begins: true,
        at: start,
      } as const
      const begun = await store.apply(payment, begins)
      expect(begun.status).toBe('applied')
      expect(begun.payment.status).toBe('serving')
      expect(await other.load(payment.id)).toEqual(begun.payment)
      const again = await other.apply(payment, begins)
      expect(again).toEqual({ status: 'conflict', payment: begun.payment })
      await expect(
        other.apply(begun.payment, { type: 'service_started', at: start }),
      ).rejects.toMatchObject({ code: 'invalid_transition' })
      expect(await bookErrors(store)).toEqual([])
    },
  },
  {
    name: 'an event that is not allowed is rejected and writes nothing',
    run: async ({ store }, expect) => {
      const payment = await claimed(store, 1)
      await expect(
        store.apply(payment, { type: 'service_started', at: start }),
      ).rejects.toMatchObject({ code: 'invalid_transition' })
      expect(await store.load(payment.id)).toEqual(payment)
    },
  },
  {
    name: 'an event on an outdated version is a conflict even if it is no longer allowed',
    run: async ({ store }, expect) => {
      const payment = await claimed(store, 1)
      const proven = await applyEvents(store, payment, [
        { type: 'settlement_proven', proof: proof(1), at: start },
      ])
      const old = await store.apply(payment, { type: 'service_started', at: start })
      expect(old).toEqual({ status: 'conflict', payment: proven })
    },
  },
  {
    name: 'an event that fails does not undo concurrent ones',
    run: async ({ store }, expect) => {
      const [first, second, third] = [
        await settled(store, 1),
        await settled(store, 2),
        await settled(store, 3),
      ]
      const started = { type: 'service_started', at: start } as const
      const outcomes = await Promise.allSettled([
        store.apply(first, started),
        store.apply(second, { type: 'settlement_rejected', reason: 'no', at: start }),
        store.apply(third, started),
      ])
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
      expect((await paymentOf(store, first)).status).toBe('serving')
      expect((await paymentOf(store, second)).status).toBe('settled')
      expect((await paymentOf(store, third)).status).toBe('serving')
    },
  },
  {
    name: 'paid = cost + refund, booked when the service completes',
    run: async ({ store }, expect) => {
      const { payment, transfer } = await withRefundDue(store, 1)
      expect(payment.refund).toEqual({
        amount: atomicUsdc(600n),
        status: 'due',
        nonce: refundNonce(1),
        transaction: null,
      })
      expect(transfer).toEqual({
        nonce: refundNonce(1),
        version: 1,
        chainId: 84532,
        asset: payment.authorization.asset,
        payer: payment.authorization.from,
        amount: atomicUsdc(600n),
        payments: [payment.id],
        sequence: null,
        status: 'waiting',
        validBefore: null,
        signature: null,
        signedAt: null,
        transaction: null,
        proof: null,
        reason: null,
        attempts: 0,
        nextAttemptAt: start + 3_000,
        lease: null,
        createdAt: start + 3_000,
        updatedAt: start + 3_000,
      })
      expect(await bookErrors(store)).toEqual([])
    },
  },
  {
    name: 'a cost of the full amount leaves no refund; a higher cost is rejected',
    run: async ({ store }, expect) => {
      const refund = { kind: 'transfer', nonce: refundNonce(1) } as const
      const payment = await completed(store, 1, { cost: 1_000n, refund })
      expect(payment.refund).toBe(null)
      expect(await store.loadRefund(refundNonce(1))).toBe(undefined)
      await expect(completed(store, 2, { cost: 1_001n, refund })).rejects.toMatchObject({
        code: 'invalid_transition',
      })
      expect(await bookErrors(store)).toEqual([])
    },
  },
  {
    name: 'a refund that is due later is not leased before',
    run: async ({ store }, expect) => {
      const dueAt = start + 60_000
      const refund = { kind: 'transfer', nonce: refundNonce(1), dueAt } as const
      await completed(store, 1, { cost: 1n, refund })
      const leaseAt = (now: number) =>
        store.leaseRefunds({ owner: 'a', now, until: now + 1_000, limit: 10 })
      expect(await leaseAt(dueAt - 1)).toEqual([])
      expect((await leaseAt(dueAt)).map(({ nonce }) => nonce)).toEqual([refundNonce(1)])
      expect(await bookErrors(store)).toEqual([])
    },
  },
  {
    name: 'a refund nonce belongs to one payment',
    run: async ({ store }, expect) => {
      const refund = { kind: 'transfer', nonce: refundNonce(1) } as const
      await completed(store, 1, { cost: 1n, refund })
      const second = await settled(store, 2)
      await expect(
        store.apply(second, { type: 'service_failed', reason: 'x', refund, at: start }),
      ).rejects.toMatchObject({ code: 'refund_exists' })
      expect(await store.load(second.id)).toEqual(second)
      expect(await bookErrors(store)).toEqual([])
    },
  },
  {
    name: 'a settlement that vanishes reverses its entries, before and after the service',
    run: async ({ store }, expect) => {
      const lost = { type: 'settlement_lost', at: start + 9_000 } as const
      const unserved = await applyEvents(store, await settled(store, 1), [lost])
      expect(unserved.status).toBe('unknown')
      expect(unserved.settlementHint).toBe(proof(1).transaction)
      const { payment } = await withRefundDue(store, 2)
      const served = await applyEvents(store, payment, [lost])
      expect(served.status).toBe('completed')
      expect(await bookErrors(store)).toEqual([])
      // A transfer that vanished no longer proves anything, and may appear again in another block.
      await applyEvents(store, served, [
        { type: 'settlement_proven', proof: proof(2, 140), at: start + 10_000 },
      ])
      expect(await bookErrors(store)).toEqual([])
    },
  },
]
