import { atomicUsdc } from '@farebox/money'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { reconcile } from '../../src/index.ts'

test('any cost splits what was paid into a cost and a refund that add up to it', () => {
  const amount = fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n })
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 12n }), amount, (paid, cost) => {
      const split = reconcile(atomicUsdc(paid), atomicUsdc(cost))
      expect(split.cost + split.refund).toBe(paid)
      expect(split.cost >= 0n && split.refund >= 0n).toBe(true)
      if (cost >= 0n && cost <= paid) expect(split.cost).toBe(cost)
    }),
    { numRuns: 10_000 },
  )
})

test.each([undefined, null, 5, '5'])('a cost of %j is an error, not a full refund', (cost) => {
  expect(() => reconcile(atomicUsdc(10n), cost as never)).toThrow(
    expect.objectContaining({ code: 'invalid_amount' }),
  )
})
