import fc from 'fast-check'
import { expect, test } from 'vitest'
import { displayUsd, parseUsd, picodollars } from '../src/index.ts'

test.each([
  ['0', '$0.00'],
  ['0.0075', '$0.0075'],
  ['0.00751', '$0.0076'],
  ['0.005', '$0.005'],
  ['0.000001', '$0.000001'],
  ['0.0999', '$0.10'],
  ['0.999', '$1.00'],
  ['1.25', '$1.25'],
  ['1.251', '$1.26'],
  ['1204.5', '$1,204.50'],
  ['1234567', '$1,234,567.00'],
])('%s is shown as %s', (amount, shown) => {
  expect(displayUsd(parseUsd(amount))).toBe(shown)
})

test.each([
  [-500_000_000_000n, '-$0.50'],
  [-1_234_567_891_000_000n, '-$1,234.56'],
  [-7_599_000_000n, '-$0.0075'],
  [-1n, '-$0.000000000001'],
])('%s picodollars are shown as %s: a loss is rounded up too', (amount, shown) => {
  expect(displayUsd(picodollars(amount))).toBe(shown)
})

test('no amount is shown too low, or a tenth too high above a tenth of a cent', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 18n }), (amount) => {
      const shown = parseUsd(displayUsd(picodollars(amount)).replace(/[$,]/g, ''))
      expect(shown).toBeGreaterThanOrEqual(amount)
      if (amount > 10n ** 11n) expect(shown * 10n).toBeLessThanOrEqual(amount * 11n)
    }),
  )
})
