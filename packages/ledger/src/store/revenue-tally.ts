import type { LedgerEntry } from '../book/ledger-entry.ts'
import type { PaymentRecord } from '../payment/payment-record.ts'
import { dayMs, type ModelRevenue } from './ledger-reports.ts'

/** Adds up the revenue of each day and model. */
export type RevenueTally = {
  /** Counts those of a payment's entries that are revenue. */
  addEntries(
    payment: Pick<PaymentRecord, 'model' | 'providerCost'>,
    entries: readonly LedgerEntry[],
  ): void
  add(revenue: ModelRevenue): void
  /** By day and model, in this order. */
  sums(): readonly ModelRevenue[]
}

export function createRevenueTally(): RevenueTally {
  const tally = new Map<string, ModelRevenue>()

  function add(one: ModelRevenue): void {
    const key = `${one.day} ${one.model}`
    const before = tally.get(key)
    tally.set(
      key,
      before === undefined
        ? one
        : {
            ...one,
            payments: before.payments + one.payments,
            revenue: before.revenue + one.revenue,
            providerCost: before.providerCost + one.providerCost,
            unknownCosts: before.unknownCosts + one.unknownCosts,
          },
    )
  }

  return {
    add,
    addEntries({ model, providerCost }, entries) {
      for (const { credit, amount: revenue, at } of entries) {
        if (credit !== 'revenue') continue
        const costs = {
          providerCost: providerCost ?? 0n,
          unknownCosts: Number(providerCost === null),
        }
        add({ day: at - (at % dayMs), model, payments: 1, revenue, ...costs })
      }
    },
    sums: () =>
      [...tally.values()].toSorted((a, b) => a.day - b.day || (a.model < b.model ? -1 : 1)),
  }
}
