import { atomicUsdc } from '@farebox/money'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSpendBudget, type Reservation } from '../../src/pay/spend-budget.ts'

test('costs and open reservations never exceed the total', () => {
  const call = fc.record({
    amount: fc.bigInt({ min: 0n, max: 500n }),
    // The final cost as a percentage of the amount; undefined: it stays unknown.
    costPercent: fc.option(fc.bigInt({ min: 0n, max: 100n }), { nil: undefined }),
  })
  fc.assert(
    fc.property(fc.array(call), fc.bigInt({ min: 0n, max: 2000n }), (calls, total) => {
      const budget = createSpendBudget(atomicUsdc(total))
      let expected = 0n
      for (const { amount, costPercent } of calls) {
        const reservation = attempt(() => budget.reserve(atomicUsdc(amount), atomicUsdc(400n)))
        expect(reservation === undefined).toBe(amount > 400n || expected + amount > total)
        if (reservation === undefined) continue
        expect(reservation.isOpen()).toBe(true)
        expected += amount
        expect(expected).toBeLessThanOrEqual(total)
        if (costPercent !== undefined) {
          const cost = (amount * costPercent) / 100n
          reservation.setCost(atomicUsdc(cost))
          expected += cost - amount
          expect(reservation.isOpen()).toBe(false)
        }
        expect(budget.spent()).toBe(expected)
      }
    }),
  )
})

test('a cost that is set twice counts once', () => {
  const budget = createSpendBudget(atomicUsdc(100n))
  const reservation = budget.reserve(atomicUsdc(100n), atomicUsdc(100n))
  reservation.setCost(atomicUsdc(40n))
  reservation.setCost(atomicUsdc(40n))
  expect(budget.spent()).toBe(40n)
  expect(budget.fits(atomicUsdc(60n))).toBe(true)
  expect(budget.fits(atomicUsdc(61n))).toBe(false)
})

function attempt(reserve: () => Reservation): Reservation | undefined {
  try {
    return reserve()
  } catch {
    return undefined
  }
}
