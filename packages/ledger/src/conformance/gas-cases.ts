import type { GasPaid } from '../store/gas-store.ts'
import { dayMs } from '../store/ledger-reports.ts'
import type { ConformanceCase } from './conformance-case.ts'
import { hex } from './fixtures.ts'

const day = 20_000 * dayMs
const sender = hex(7, 20)

/** What the relayer pays for gas. */
export const gasCases: readonly ConformanceCase[] = [
  {
    name: 'gas is summed by day and purpose, each transaction once',
    run: async ({ store, other }, expect) => {
      const settlements = [paid(1), paid(2, { succeeded: false, fee: 5_000_000_000n })]
      await Promise.all([
        store.recordGas([paid(3, { purpose: 'refund' }), ...settlements]),
        other.recordGas(settlements),
      ])
      await store.recordGas([paid(9, { at: day + dayMs })])
      await other.recordGas([])
      const sums = { day, sender, gas: 50_000n, reverted: 0 }
      const first = [
        { ...sums, purpose: 'refund', transactions: 1, fee: 1_500_000_001n, ...nonces(3, 3) },
        {
          ...sums,
          purpose: 'settlement',
          transactions: 2,
          reverted: 1,
          gas: 100_000n,
          fee: 6_500_000_001n,
          ...nonces(1, 2),
        },
      ]
      expect(await store.gasByDay({ from: day, to: day + dayMs })).toEqual(first)
      expect((await other.gasByDay({ from: day, to: day + 2 * dayMs })).length).toBe(3)
      expect(await other.gasByDay({ from: day + 2 * dayMs, to: day + 9 * dayMs })).toEqual([])
    },
  },
  {
    name: 'a transaction that was mined in place of another counts alone',
    run: async ({ store, other }, expect) => {
      await store.recordGas([paid(1), paid(2)])
      const again = paid(2, { transaction: hex(99, 32), fee: 7n, at: day + dayMs })
      await other.recordGas([again])
      const fees = (await store.gasByDay({ from: day, to: day + 2 * dayMs })).map((one) => [
        one.day,
        one.transactions,
        one.fee,
      ])
      expect(fees).toEqual([
        [day, 1, 1_500_000_001n],
        [day + dayMs, 1, 7n],
      ])
      expect(await store.gasOf(hex(99, 32))).toEqual(again)
      expect(await store.gasOf(paid(2).transaction)).toBe(undefined)
    },
  },
  {
    name: 'sums of a day exceed what 64 bits hold in wei',
    run: async ({ store }, expect) => {
      const fee = 9_000_000_000_000_000_001n
      for (const nonce of [1, 2, 3]) await store.recordGas([paid(nonce, { fee })])
      const [sum] = await store.gasByDay({ from: day, to: day + dayMs })
      expect(sum?.fee).toBe(3n * fee)
    },
  },
]

function paid(nonce: number, change: Partial<GasPaid> = {}): GasPaid {
  return {
    chainId: 84_532,
    sender,
    nonce,
    transaction: hex(nonce, 32),
    purpose: 'settlement',
    succeeded: true,
    gas: 50_000n,
    fee: 1_500_000_001n,
    at: day + nonce,
    ...change,
  }
}

function nonces(firstNonce: number, lastNonce: number) {
  return { firstNonce, lastNonce }
}
