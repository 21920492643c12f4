import { computedRefundMinimum, refundMinimumAt } from '@farebox/payments/parts'
import { expect, test } from 'vitest'

test('the refund minimum follows the gas price within its bounds', async () => {
  // 60,000 gas × 0.005 gwei × $3,000 = $0.0009, a tenth of $0.009.
  expect(refundMinimumAt(5_000_000n, 3_000n)).toBe(9_000n)
  expect(refundMinimumAt(1n, 3_000n)).toBe(1_000n)
  expect(refundMinimumAt(10n ** 12n, 3_000n)).toBe(50_000n)
  let price = 10_000_000n
  let now = 0
  const minimum = computedRefundMinimum({
    chain: { gasPrice: async () => price },
    clock: () => now,
  })
  await minimum.refresh()
  expect(minimum.current()).toBe(18_000n)
  price = 20_000_000n
  await minimum.refresh()
  expect(minimum.current()).toBe(18_000n)
  now = 61_000
  await minimum.refresh()
  expect(minimum.current()).toBe(36_000n)
})
