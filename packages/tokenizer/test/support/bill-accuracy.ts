import { type Bill, hasHiddenState, isDropped } from './bills.ts'

/** How near the counts of one family come to its bills. */
export type BillAccuracy = {
  readonly family: string
  readonly kind: Bill['kind']
  readonly bills: number
  /** Requests that nothing was fitted to. */
  readonly judged: number
  /** Of the judged requests, `tokens / billed - 1`: the median, and the 95th percentile of sizes. */
  readonly median: number
  readonly p95: number
  /** Of all requests, `upperBound / billed`. */
  readonly boundMedian: number
  readonly boundP95: number
  /** The same of the judged requests. */
  readonly judgedBoundMedian: number
  readonly judgedBoundP95: number
  readonly undercharges: number
}

/** The accuracy by family and kind of request, of the requests that are billed as they stand. */
export function billAccuracies(bills: readonly Bill[]): readonly BillAccuracy[] {
  const groups = new Map<string, Bill[]>()
  for (const bill of bills.filter((bill) => !isDropped(bill) && !hasHiddenState(bill))) {
    const name = `${bill.family} ${bill.kind}`
    const group = groups.get(name) ?? []
    group.push(bill)
    groups.set(name, group)
  }
  return [...groups.values()]
    .flatMap((group) => (group[0] === undefined ? [] : [accuracyOf(group[0], group)]))
    .sort((a, b) => (`${a.family} ${a.kind}` < `${b.family} ${b.kind}` ? -1 : 1))
}

function accuracyOf({ family, kind }: Bill, bills: readonly Bill[]): BillAccuracy {
  const judged = bills.filter(({ judged }) => judged)
  const errors = judged.map(({ count, request }) => count.tokens / request.in - 1)
  const bounds = bills.map(boundOverBill)
  const judgedBounds = judged.map(boundOverBill)
  return {
    family,
    kind,
    bills: bills.length,
    judged: judged.length,
    median: quantile(errors, 0.5),
    p95: quantile(errors.map(Math.abs), 0.95),
    boundMedian: quantile(bounds, 0.5),
    boundP95: quantile(bounds, 0.95),
    judgedBoundMedian: quantile(judgedBounds, 0.5),
    judgedBoundP95: quantile(judgedBounds, 0.95),
    undercharges: bounds.filter((bound) => bound < 1).length,
  }
}

function boundOverBill({ count, request }: Bill): number {
  return count.upperBound / request.in
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
}
