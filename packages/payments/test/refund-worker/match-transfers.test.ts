import fc from 'fast-check'
import { expect, test } from 'vitest'
import { matchTransfers } from '../../src/refund-worker/match-transfers.ts'

const owed = (name: string, amount: bigint, block = 1) => ({ name, amount, block })
const transfer = (value: bigint, block = 9) => ({ value, block })
const names = (matches: readonly (readonly { readonly name: string }[])[]) =>
  matches.map((match) => match.map(({ name }) => name).join(''))

test.each([
  ['the oldest first', [600n, 400n, 200n], [1_000n], ['ab']],
  ['an older refund that was left out', [143n, 1_000n, 487n], [1_487n], ['bc']],
  ['a refund that was left out and paid next', [143n, 1_000n, 487n], [1_487n, 143n], ['bc', 'a']],
  [
    'a choice that must leave enough for the next transfer',
    [600n, 200n, 400n, 50n],
    [600n, 250n],
    ['a', 'bd'],
  ],
  ['refunds worth less than the transfer: the others are unrecorded', [600n, 650n], [700n], ['b']],
  ['no refund that fits', [600n], [500n], ['']],
  ['what later transfers need is left to them', [100n, 500n, 600n], [600n, 500n], ['c', 'b']],
  ['a refund of one unit', [100n, 501n, 600n, 1n], [601n, 501n], ['cd', 'b']],
  [
    'a refund to the unit, next to a transfer that none explains',
    [600n, 5n],
    [600n, 999n],
    ['a', 'b'],
  ],
] as const)('%s', (_, amounts, values, expected) => {
  const refunds = amounts.map((amount, index) => owed('abcd'.charAt(index), amount))
  expect(
    names(
      matchTransfers(
        refunds,
        values.map((value) => transfer(value)),
      ),
    ),
  ).toEqual(expected)
})

test('a transfer did not pay a refund that was settled later', () => {
  const refunds = [owed('a', 500n, 12), owed('b', 500n, 3)]
  expect(names(matchTransfers(refunds, [transfer(500n, 9)]))).toEqual(['b'])
  expect(names(matchTransfers(refunds.slice(0, 1), [transfer(500n, 9)]))).toEqual([''])
})

test('a transfer may have paid a refund of its own block, and one before all refunds none', () => {
  expect(names(matchTransfers([owed('a', 500n, 9)], [transfer(500n, 9)]))).toEqual(['a'])
  const refunds = [owed('a', 100n), owed('b', 500n), owed('c', 600n)]
  const transfers = [transfer(100n, 0), transfer(600n), transfer(500n)]
  expect(names(matchTransfers(refunds, transfers))).toEqual(['', 'c', 'b'])
})

test.each([
  ['that are many', 24, (index: number) => BigInt(2 * index)],
  ['whose sums all differ', 18, (index: number) => 2n ** BigInt(index)],
])('a search among refunds %s ends', (_, count, amountOf) => {
  let looks = 0
  const refunds = Array.from({ length: count }, (_refund, index) => ({
    block: 1,
    get amount() {
      looks += 1
      return amountOf(index + 1)
    },
  }))
  const total = refunds.reduce((sum, { amount }) => sum + amount, 0n)
  // The amounts are even.
  const [paid] = matchTransfers(refunds, [transfer(total / 2n + 1n - ((total / 2n) % 2n))])
  expect(paid).not.toEqual([])
  expect(looks).toBeLessThan(200_000)
})

test('however refunds were batched, what is booked is what was sent', () => {
  const batches = fc.array(
    fc.record({
      amount: fc.bigInt({ min: 1n, max: 5_000n }),
      group: fc.integer({ min: 0, max: 3 }),
    }),
    { minLength: 1, maxLength: 12 },
  )
  fc.assert(
    fc.property(batches, (refunds) => {
      const groups = [0, 1, 2]
        .map((group) => refunds.filter((refund) => refund.group === group))
        .filter((group) => group.length > 0)
      const sums = groups.map((group) => group.reduce((sum, { amount }) => sum + amount, 0n))
      const candidates = refunds.map(({ amount }, index) => owed(String(index), amount))
      const matches = matchTransfers(
        candidates,
        sums.map((sum) => transfer(sum)),
      )
      expect(matches.map((match) => match.reduce((sum, { amount }) => sum + amount, 0n))).toEqual(
        sums,
      )
      expect(new Set(matches.flat()).size).toBe(matches.flat().length)
    }),
    { numRuns: 300 },
  )
})
