import { dayMs } from '../store/ledger-reports.ts'
import type { LedgerStore } from '../store/ledger-store.ts'
import type { ConformanceCase } from './conformance-case.ts'

const day = 20_000 * dayMs
const limits = { perAddress: 100n, inAll: 250n }
const hold = (address: string, amount: bigint) => ({ day, address, amount })

/** What network addresses are served without payment. */
export const freeQuotaCases: readonly ConformanceCase[] = [
  {
    name: 'an address holds no more than its quota, however many calls come at once',
    run: async ({ store, other }, expect) => {
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          (index % 2 === 0 ? store : other).holdFree(hold('a', 30n), limits),
        ),
      )
      expect(outcomes.filter(({ status }) => status === 'held').length).toBe(3)
      expect(await used(store, 'a')).toEqual({ used: 90n, usedInAll: 90n })
    },
  },
  {
    name: 'all addresses together hold no more than the total',
    run: async ({ store, other }, expect) => {
      const outcomes = await Promise.all(
        Array.from({ length: 5 }, (_, index) =>
          (index % 2 === 0 ? store : other).holdFree(hold(`address ${index}`, 100n), limits),
        ),
      )
      expect(outcomes.filter(({ status }) => status === 'held').length).toBe(2)
      expect((await used(store, 'nobody')).usedInAll).toBe(200n)
    },
  },
  {
    name: 'what a call held becomes what it cost, or nothing',
    run: async ({ store, other }, expect) => {
      await store.holdFree(hold('a', 60n), limits)
      const bill = { model: 'm', cost: 20n, providerCost: 15n }
      expect(await other.billFree(hold('a', 60n), bill)).toEqual({ used: 20n, usedInAll: 20n })
      await store.holdFree(hold('a', 80n), limits)
      expect(await other.releaseFree(hold('a', 80n))).toEqual({ used: 20n, usedInAll: 20n })
      await store.holdFree(hold('a', 10n), limits)
      await store.billFree(hold('a', 10n), { model: 'm', cost: 1n, providerCost: null })
      expect(await other.freeUseByDay({ from: day, to: day + dayMs })).toEqual([
        { day, model: 'm', calls: 2, cost: 21n, providerCost: 15n },
      ])
      expect(await other.freeUseByDay({ from: day + dayMs, to: day + 2 * dayMs })).toEqual([])
    },
  },
  {
    name: 'a quota is of one day; addresses are forgotten after two',
    run: async ({ store, other }, expect) => {
      await store.holdFree(hold('a', 100n), limits)
      const next = { ...hold('a', 100n), day: day + dayMs }
      expect((await other.holdFree(next, limits)).status).toBe('held')
      await store.prune({ now: day + 2 * dayMs - 1, unpaidBefore: 0 })
      expect((await used(other, 'a')).used).toBe(100n)
      await store.prune({ now: day + 2 * dayMs, unpaidBefore: 0 })
      expect(await used(other, 'a')).toEqual({ used: 0n, usedInAll: 0n })
    },
  },
]

/** A call that fits no limit writes nothing. */
async function used(store: LedgerStore, address: string) {
  const { status, ...sums } = await store.holdFree(hold(address, 1_000n), limits)
  if (status === 'held') throw new Error('the call exceeds every limit')
  return sums
}
