import { atomicUsdc } from '@farebox/money'
import type { ConformanceCase } from './conformance-case.ts'
import {
  applyEvents,
  applyRefundEvents,
  bookErrors,
  claimed,
  exported,
  listed,
  refundNonce,
  settled,
  start,
  withRefundDue,
} from './fixtures.ts'

/** An export is a complete, ordered snapshot. */
export const exportCases: readonly ConformanceCase[] = [
  {
    name: 'an empty ledger exports nothing',
    run: async ({ store }, expect) => {
      expect(await exported(store)).toEqual([])
      expect(await listed(store.exportRefunds())).toEqual([])
    },
  },
  {
    name: 'every payment is exported once, in order of creation, with its entries',
    run: async ({ store, other }, expect) => {
      for (let number = 0; number < 20; number += 1) await claimed(store, number)
      const all = new Set<string>()
      // Not all at once: a busy server lets them wait for a connection for seconds.
      for (let number = 20; number < 620; number += 50) {
        const group = Array.from({ length: 50 }, (_, index) => claimed(store, number + index))
        for (const { id } of await Promise.all(group)) all.add(id)
      }
      const lines = await exported(other)
      expect(lines.slice(0, 20).map(({ payment }) => payment.createdAt - start)).toEqual(
        Array.from({ length: 20 }, (_, number) => number),
      )
      expect(new Set(lines.slice(20).map(({ payment }) => payment.id))).toEqual(all)
      expect(lines.length).toBe(620)
      expect(lines.flatMap(({ entries }) => entries)).toEqual([])
    },
  },
  {
    name: 'entries are exported in the order in which they were written',
    run: async ({ store }, expect) => {
      const { transfer } = await withRefundDue(store, 1)
      await settled(store, 2)
      await applyRefundEvents(store, transfer, [
        {
          type: 'confirmed',
          proof: { transaction: refundNonce(5), block: 9, blockHash: refundNonce(6), logIndex: 0 },
          at: start + 8_000,
        },
      ])
      const [first, second] = await exported(store)
      expect(
        first?.entries.map(({ debit, credit, amount }) => [debit, credit, Number(amount)]),
      ).toEqual([
        ['treasury', 'liability', 1_000],
        ['liability', 'refunds_payable', 600],
        ['liability', 'revenue', 400],
        ['refunds_payable', 'treasury', 600],
      ])
      expect(second?.entries.length).toBe(1)
      expect(await bookErrors(store)).toEqual([])
    },
  },
  {
    name: 'refund transfers are exported in order of creation',
    run: async ({ store }, expect) => {
      for (const number of [3, 1, 2]) await withRefundDue(store, number)
      const nonces = (await listed(store.exportRefunds())).map(({ nonce }) => nonce)
      expect(nonces).toEqual([3, 1, 2].map(refundNonce))
    },
  },
  {
    name: 'an export is a snapshot, unaffected by later writes',
    run: async ({ store, other }, expect) => {
      for (const number of [1, 2, 3]) await settled(store, number)
      const lines = store.exportPayments()[Symbol.asyncIterator]()
      const first = await lines.next()
      const payment = await settled(other, 4)
      await applyEvents(other, payment, [{ type: 'service_started', at: start }])
      const rest: unknown[] = []
      for (let next = await lines.next(); next.done !== true; next = await lines.next()) {
        rest.push(next.value)
      }
      expect(first.done).toBe(false)
      expect(rest.length).toBe(2)
      expect((await exported(store)).length).toBe(4)
    },
  },
  {
    name: 'amounts above the largest safe integer are exact',
    run: async ({ store }, expect) => {
      const value = atomicUsdc(9_007_199_254_740_993n)
      const { authorization } = await claimed(store, 9)
      const payment = await claimed(store, 1, {
        authorization: { ...authorization, nonce: refundNonce(9), value },
      })
      expect((await store.load(payment.id))?.authorization.value).toBe(value)
    },
  },
]
