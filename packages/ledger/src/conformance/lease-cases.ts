import type { ConformanceCase } from './conformance-case.ts'
import {
  applyEvents,
  claimed,
  completed,
  newPayment,
  paymentOf,
  proof,
  settled,
  start,
  withRefundDue,
} from './fixtures.ts'

/** A lease excludes others until it expires, and does not change the version. */
export const leaseCases: readonly ConformanceCase[] = [
  {
    name: 'a lease is granted if free, extended by its owner, and taken over once expired',
    run: async ({ store, other }, expect) => {
      const { id } = await claimed(store, 1)
      const first = await store.lease(id, { owner: 'a', until: 200, now: 100 })
      expect(first?.lease).toEqual({ owner: 'a', until: 200 })
      expect(await other.lease(id, { owner: 'b', until: 300, now: 199 })).toBe(undefined)
      const longer = await store.lease(id, { owner: 'a', until: 250, now: 150 })
      expect(longer?.lease).toEqual({ owner: 'a', until: 250 })
      const taken = await other.lease(id, { owner: 'b', until: 400, now: 250 })
      expect(taken?.lease).toEqual({ owner: 'b', until: 400 })
      expect(taken?.version).toBe(1)
    },
  },
  {
    name: 'a lease of an unknown payment is undefined',
    run: async ({ store }, expect) => {
      const missing = await store.lease(newPayment(1).id, { owner: 'a', until: 2, now: 1 })
      expect(missing).toBe(undefined)
    },
  },
  {
    name: 'an event does not change the lease, nor a lease the version',
    run: async ({ store }, expect) => {
      const payment = await claimed(store, 1)
      await store.lease(payment.id, { owner: 'a', until: 200, now: 100 })
      const proven = await applyEvents(store, payment, [
        { type: 'settlement_proven', proof: proof(1), at: start },
      ])
      expect(proven.lease).toEqual({ owner: 'a', until: 200 })
      expect((await paymentOf(store, payment)).lease).toEqual({ owner: 'a', until: 200 })
    },
  },
  {
    name: 'concurrent workers lease different unfinished payments, oldest first',
    run: async ({ store, other }, expect) => {
      for (const number of [4, 2, 3, 1, 5]) await claimed(store, number)
      const request = { now: 100, until: 200, limit: 2 }
      const shares = await Promise.all([
        store.leaseUnfinished({ ...request, owner: 'a' }),
        other.leaseUnfinished({ ...request, owner: 'b' }),
      ])
      expect(new Set(shares.flat().map(({ id }) => id)).size).toBe(4)
      const rest = await store.leaseUnfinished({ ...request, owner: 'c' })
      expect(rest.map(({ createdAt }) => createdAt)).toEqual([start + 5])
      const later = await other.leaseUnfinished({ owner: 'd', now: 200, until: 300, limit: 9 })
      expect(later.map(({ createdAt }) => createdAt - start)).toEqual([1, 2, 3, 4, 5])
      expect(later.map(({ lease }) => lease?.owner)).toEqual(later.map(() => 'd'))
    },
  },
  {
    name: 'payments are leased until their settlement is final or their rejected authorization expired',
    run: async ({ store }, expect) => {
      const request = { owner: 'a', now: 100, until: 100, limit: 9 }
      const expired = { type: 'authorization_expired', at: start + 9 } as const
      await applyEvents(store, await claimed(store, 1), [expired])
      const rejected = await applyEvents(store, await claimed(store, 2), [
        { type: 'settlement_rejected', reason: 'insufficient_funds', at: start + 3 },
      ])
      const unwatched = await completed(store, 3, { cost: 1_000n, refund: { kind: 'batch' } })
      const open = await store.leaseUnfinished(request)
      expect(open.map(({ id }) => id)).toEqual([rejected.id, unwatched.id])
      await applyEvents(store, rejected, [expired])
      await applyEvents(store, unwatched, [{ type: 'settlement_final', at: start + 9_000 }])
      expect(await store.leaseUnfinished(request)).toEqual([])
    },
  },
  {
    name: 'concurrent workers lease different refund transfers, longest overdue first',
    run: async ({ store, other }, expect) => {
      for (const number of [1, 2, 3]) await withRefundDue(store, number)
      const request = { now: start + 5_000, until: start + 6_000, limit: 2 }
      const shares = await Promise.all([
        store.leaseRefunds({ ...request, owner: 'a' }),
        other.leaseRefunds({ ...request, owner: 'b' }),
      ])
      expect(new Set(shares.flat().map(({ nonce }) => nonce)).size).toBe(3)
      expect(await store.leaseRefunds({ ...request, owner: 'c' })).toEqual([])
      const early = { owner: 'd', now: start + 2_999, until: start + 9_000, limit: 9 }
      expect(await store.leaseRefunds(early)).toEqual([])
      const over = { owner: 'd', now: start + 6_000, until: start + 9_000, limit: 9 }
      expect((await other.leaseRefunds(over)).length).toBe(3)
    },
  },
  {
    name: 'an unserved payment is leased to only one of two concurrent requests',
    run: async ({ store, other }, expect) => {
      const { id } = await settled(store, 1)
      const leases = await Promise.all([
        store.lease(id, { owner: 'a', until: 200, now: 100 }),
        other.lease(id, { owner: 'b', until: 200, now: 100 }),
      ])
      expect(leases.filter((lease) => lease !== undefined).length).toBe(1)
    },
  },
]
