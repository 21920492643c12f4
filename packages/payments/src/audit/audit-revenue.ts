import type { KeptRevenue, LedgerEntry, ModelRevenue, PaymentRecord } from '@farebox/ledger'
import { magnitude } from './audit-entries.ts'
import { type AuditFinding, rowFinding } from './audit-report.ts'

const dayMs = 86_400_000

/** Adds up the revenue of each day and model as payments are read. */
export type RevenueTally = {
  add(exported: {
    readonly payment: Pick<PaymentRecord, 'model' | 'providerCost'>
    readonly entries: readonly LedgerEntry[]
  }): void
  /** What differs from the sums that are kept. */
  compare(kept: KeptRevenue): readonly AuditFinding[]
}

const nothing = { payments: 0, revenue: 0n, providerCost: 0n, unknownCosts: 0 }

export function createRevenueTally(): RevenueTally {
  const tally = new Map<string, ModelRevenue>()
  return {
    add({ payment: { model, providerCost }, entries }) {
      for (const { credit, amount, at } of entries) {
        if (credit !== 'revenue') continue
        const day = at - (at % dayMs)
        const { payments, revenue, ...costs } = tally.get(keyOf({ day, model })) ?? nothing
        tally.set(keyOf({ day, model }), {
          day,
          model,
          payments: payments + 1,
          revenue: revenue + amount,
          providerCost: costs.providerCost + (providerCost ?? 0n),
          unknownCosts: costs.unknownCosts + (providerCost === null ? 1 : 0),
        })
      }
    },
    compare({ days, sums }) {
      const isSummed = new Set(days)
      const kept = new Map(sums.map((one) => [keyOf(one), one]))
      const missing = [...tally.values()].filter(
        (one) => isSummed.has(one.day) && !kept.has(keyOf(one)),
      )
      return [
        ...sums.flatMap((one) => difference(one, tally.get(keyOf(one)))),
        ...missing.flatMap((one) => difference({ ...one, ...nothing }, one)),
      ]
    },
  }
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
  return `${payments} payments, revenue ${revenue}, provider_cost ${providerCost}, unknown_costs ${unknownCosts}`
}
