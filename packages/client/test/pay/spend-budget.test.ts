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
      const budget = createSpendBudget(
        { perHour: atomicUsdc(total), total: atomicUsdc(total) },
        () => 0,
      )
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
  const budget = createSpendBudget({ perHour: atomicUsdc(100n), total: atomicUsdc(100n) }, () => 0)
  const reservation = budget.reserve(atomicUsdc(100n), atomicUsdc(100n))
  reservation.setCost(atomicUsdc(40n))
  reservation.setCost(atomicUsdc(40n))
  expect(budget.spent()).toBe(40n)
  expect(budget.fits(atomicUsdc(60n))).toBe(true)
  expect(budget.fits(atomicUsdc(61n))).toBe(false)
})

test('a cost above the amount that was signed counts as that amount', () => {
  const budget = createSpendBudget({ perHour: atomicUsdc(100n), total: atomicUsdc(100n) }, () => 0)
  budget.reserve(atomicUsdc(40n), atomicUsdc(40n)).setCost(atomicUsdc(1_000n))
  expect(budget.spent()).toBe(40n)
  expect(budget.fits(atomicUsdc(60n))).toBe(true)
})

function attempt(reserve: () => Reservation): Reservation | undefined {
  try {
    return reserve()
  } catch {
    return undefined
  }
}

test('the cap of an hour holds over any hour, and frees what is older', () => {
  let now = 0
  const minute = 60_000
  const caps = { perHour: atomicUsdc(100n), total: atomicUsdc(1_000n) }
  const budget = createSpendBudget(caps, () => now)
  budget.reserve(atomicUsdc(60n), atomicUsdc(100n))
  now = 30 * minute
  budget.reserve(atomicUsdc(40n), atomicUsdc(100n)).setCost(atomicUsdc(10n))
  now = 60 * minute - 1
  expect(() => budget.reserve(atomicUsdc(31n), atomicUsdc(100n))).toThrow(
    'The call costs up to 0.000031 USDC. The cap is 0.0001 USDC for one hour; 0.00003 of it is left. Nothing was paid.',
  )
  now = 60 * minute
  expect(budget.fits(atomicUsdc(90n))).toBe(true)
  expect(budget.fits(atomicUsdc(91n))).toBe(false)
  expect(budget.spent()).toBe(70n)
})
