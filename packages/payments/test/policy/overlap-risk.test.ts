import { expect, test } from 'vitest'
import { createOverlapRisk } from '../../src/policy/overlap-risk.ts'
import { usdc } from '../support/pay.ts'

const [alice, bob, carol] = ['0xa', '0xb', '0xc'] as const

function openRisk() {
  const time = { now: 0 }
  const policy = { maxRiskPerPayer: usdc(20n), maxRiskTotal: usdc(30n), riskWindowMs: 1_000 }
  const risk = createOverlapRisk({ policy, clock: () => time.now })
  return {
    time,
    take: (from: `0x${string}`, value: bigint) => risk.take({ from, value: usdc(value) }),
  }
}

test('one payer, and all together, may have their limit at risk and nothing beyond it', () => {
  const { take } = openRisk()
  expect(take(alice, 21n)).toBeUndefined()
  expect(take(alice, 20n)).toBeDefined()
  expect(take(alice, 1n)).toBeUndefined()
  expect(take(bob, 11n)).toBeUndefined()
  expect(take(bob, 10n)).toBeDefined()
  expect(take(carol, 1n)).toBeUndefined()
})

test('what was released may be at risk again at once', () => {
  const { take } = openRisk()
  take(alice, 20n)?.release()
  expect(take(alice, 20n)).toBeDefined()
})

test('what was lost counts until its window ends, whatever is released after it', () => {
  const { take, time } = openRisk()
  const risk = take(alice, 20n)
  time.now = 500
  risk?.lose()
  risk?.release()
  time.now = 1_499
  expect(take(alice, 1n)).toBeUndefined()
  expect(take(bob, 11n)).toBeUndefined()
  time.now = 1_500
  expect(take(alice, 20n)).toBeDefined()
})

test('what is under way counts for as long as it takes', () => {
  const { take, time } = openRisk()
  take(alice, 20n)
  time.now = 1_000_000
  expect(take(alice, 1n)).toBeUndefined()
})
