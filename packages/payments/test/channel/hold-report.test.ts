import fc from 'fast-check'
import { expect, test } from 'vitest'
import { reportHold, reportNothing } from '../../src/channel/hold-report.ts'

const amount = fc.bigInt({ min: 0n, max: 10n ** 9n })
const calls = fc.record({
  charged: amount,
  reserved: amount,
  base: amount,
  ceiling: fc.bigInt({ min: 1n, max: 10n ** 9n }),
})

test('a report is between 1 unit and the ceiling, and continues where the client stood', () => {
  fc.assert(
    fc.property(calls, (call) => {
      const { chargedAmount, chargedCumulativeAmount } = reportHold(call)
      expect(chargedAmount).toBeGreaterThanOrEqual(1n)
      expect(chargedAmount).toBeLessThanOrEqual(call.ceiling)
      expect(chargedCumulativeAmount).toBe(call.base + chargedAmount)
    }),
  )
})

test('the hold is reported while a call is in flight, and its cost at the end', () => {
  const call = { charged: 1_000n, base: 1_000n, ceiling: 500n }
  expect(reportHold({ ...call, reserved: 500n }).chargedAmount).toBe(500n)
  expect(reportHold({ ...call, charged: 1_120n, reserved: 0n }).chargedAmount).toBe(120n)
})

test('a client that is ahead is pulled back by what later calls leave over', () => {
  const ahead = { charged: 1_000n, reserved: 0n, base: 1_400n, ceiling: 500n }
  expect(reportHold({ ...ahead, charged: 1_120n })).toEqual({
    chargedAmount: 1n,
    chargedCumulativeAmount: 1_401n,
  })
})

test("a call that cost nothing does not change the client's sums", () => {
  expect(reportNothing({ base: 77n })).toEqual({ chargedAmount: 0n, chargedCumulativeAmount: 77n })
})
