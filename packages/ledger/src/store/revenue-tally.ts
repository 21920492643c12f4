import type { LedgerEntry } from '../book/ledger-entry.ts'
import type { PaymentRecord } from '../payment/payment-record.ts'
import { dayMs, type ModelRevenue } from './ledger-reports.ts'

/** Adds up the revenue of each day and model. */
export type RevenueTally = {
  /** Counts those of a payment's entries that are revenue. */
  addEntries(
    payment: Pick<PaymentRecord, 'model' | 'providerCost'>,
    entries: readonly Pick<LedgerEntry, 'credit' | 'amount' | 'at'>[],
  ): void
  add(revenue: ModelRevenue): void
  /** By day and model, in this order. */
  sums(): readonly ModelRevenue[]
}

export function createRevenueTally(): RevenueTally {
  const tally = new Map<string, ModelRevenue>()

  function add(revenue: ModelRevenue): void {
    const key = `${revenue.day} ${revenue.model}`
    const before = tally.get(key)
    tally.set(key, before === undefined ? revenue : added(before, revenue))
  }

  return {
    addEntries({ model, providerCost }, entries) {
      for (const { credit, amount, at } of entries) {
        if (credit !== 'revenue') continue
        add({
          day: at - (at % dayMs),
          model,
          payments: 1,
          revenue: amount,
          providerCost: providerCost ?? 0n,
          unknownCosts: providerCost === null ? 1 : 0,
        })
      }
    },
    add,
    sums: () =>
      [...tally.values()].toSorted((a, b) => a.day - b.day || (a.model < b.model ? -1 : 1)),
  }
}

function added(a: ModelRevenue, b: ModelRevenue): ModelRevenue {
  return {
    ...a,
    payments: a.payments + b.payments,
    revenue: a.revenue + b.revenue,
    providerCost: a.providerCost + b.providerCost,
    unknownCosts: a.unknownCosts + b.unknownCosts,
  }
}
