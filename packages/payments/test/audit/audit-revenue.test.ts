import type { ModelRevenue } from '@farebox/ledger'
import { atomicUsdc, picodollars } from '@farebox/money'
import { expect, test } from 'vitest'
import { auditRevenue } from '../../src/audit/audit-revenue.ts'

test('a sum of one payment is named in the singular', () => {
  const day = Date.parse('2026-11-20')
  const amounts = { revenue: atomicUsdc(7n), providerCost: picodollars(0n), unknownCosts: 0 }
  const one: ModelRevenue = { day, model: 'maker/name', payments: 1, ...amounts }
  const [finding] = auditRevenue({ days: [day], sums: [one] }, [{ ...one, payments: 2 }])
  expect(finding?.detail).toMatch(/: 1 payment, revenue 7, .* must be 2 payments, revenue 7, /)
})
