import type { Hex } from '@farebox/ledger'
import { expect, test } from 'vitest'
import { createDepositBudget } from '../../../src/channel-gate/deposit-budget.ts'

const hourMs = 3_600_000
const payer = (number: number): Hex => `0x${`${number}`.repeat(40)}`

function openBudget(policy: { readonly depositsPerPayer?: number }) {
  const time = { now: Date.UTC(2026, 10, 20) }
  const limits = { depositsPerPayer: 10, depositWindowMs: 600_000, depositsPerHour: 3, ...policy }
  return { time, budget: createDepositBudget(limits, () => time.now) }
}

test('deposits of all payers within an hour are limited, and there is room again after it', () => {
  const { time, budget } = openBudget({})
  for (const number of [1, 2]) expect(budget.take(payer(number))).toBeDefined()
  // Longer than the window of a payer: the hour counts on.
  time.now += 600_001
  expect(budget.take(payer(3))).toBeDefined()
  expect([budget.allows(payer(4)), budget.take(payer(4))]).toEqual([false, undefined])
  time.now += hourMs - 600_002
  expect(budget.allows(payer(4))).toBe(false)
  time.now += 1
  expect(budget.allows(payer(4))).toBe(true)
})

test('deposits of one payer within its window are limited, and not those of another', () => {
  const { time, budget } = openBudget({ depositsPerPayer: 2 })
  budget.take(payer(1))
  budget.take(payer(1))
  expect([budget.take(payer(1)), budget.allows(payer(2))]).toEqual([undefined, true])
  time.now += 599_999
  expect(budget.allows(payer(1))).toBe(false)
  time.now += 1
  expect(budget.allows(payer(1))).toBe(true)
})

test('a place that is given back is free at once', () => {
  const { budget } = openBudget({ depositsPerPayer: 1 })
  const place = budget.take(payer(1))
  expect(budget.allows(payer(1))).toBe(false)
  place?.release()
  expect(budget.allows(payer(1))).toBe(true)
})
