import type { KeptRevenue, ModelRevenue } from '@farebox/ledger'
import { countOf } from '../rpc/count-of.ts'
import { type AuditFinding, rowFinding } from './audit-report.ts'
import { magnitude } from './position-distance.ts'

const nothing = { payments: 0, revenue: 0n, providerCost: 0n, unknownCosts: 0 }

/** Compares the sums that are kept with those of the payments. */
export function auditRevenue(
  { days, sums }: KeptRevenue,
  expected: readonly ModelRevenue[],
): readonly AuditFinding[] {
  const isSummed = new Set(days)
  const kept = new Set(sums.map(keyOf))
  const must = new Map(expected.map((one) => [keyOf(one), one]))
  const missing = expected.filter((one) => isSummed.has(one.day) && !kept.has(keyOf(one)))
  return [
    ...sums.flatMap((one) => difference(one, must.get(keyOf(one)))),
    ...missing.flatMap((one) => difference({ ...one, ...nothing }, one)),
  ]
}

function keyOf({ day, model }: Pick<ModelRevenue, 'day' | 'model'>): string {
  return `${day} ${model}`
}

function difference(
  kept: ModelRevenue,
  expected: Omit<ModelRevenue, 'day' | 'model'> = nothing,
): readonly AuditFinding[] {
  const [holds, must] = [kept, expected].map(textOf)
  if (holds === must) return []
  const day = new Date(kept.day).toISOString().slice(0, 10)
  const detail = `daily_revenue of ${day} (${kept.day}), ${kept.model}: ${holds}, and must be ${must}`
  const units = magnitude(kept.revenue - expected.revenue)
  return [{ ...rowFinding(units, detail), kind: 'revenue_differs' }]
}

function textOf(sum: Omit<ModelRevenue, 'day' | 'model'>): string {
  const { payments, revenue, providerCost, unknownCosts } = sum
  return `${countOf(payments, 'payment')}, revenue ${revenue}, provider_cost ${providerCost}, unknown_costs ${unknownCosts}`
}
