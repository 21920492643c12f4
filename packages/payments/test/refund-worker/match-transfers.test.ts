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
  ['refunds worth less than the transfer: the others are forgotten', [600n, 650n], [700n], ['b']],
  ['no refund that fits', [600n], [500n], ['']],
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
