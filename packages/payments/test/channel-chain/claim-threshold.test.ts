import { expect, test } from 'vitest'
import { claimThreshold } from '../../src/policy/claim-threshold.ts'
import { usdc } from '../support/pay.ts'

const rules = { maxUnclaimedTotal: usdc(100n), claimAbove: usdc(1_000n), minClaim: usdc(20n) }

test.each([
  [0n, 1_000n],
  [25n, 1_000n],
  [26n, 19n],
  [50n, 13n],
  [85n, 4n],
  [100n, 0n],
  [120n, 0n],
])('with %i of 100 used, more than %i is claimed', (used, above) => {
  expect(claimThreshold(rules, used)).toBe(above)
})
