import type { RunReport } from './simulate.ts'

/** The totals of many runs. */
export type Summary = {
  add(report: RunReport): void
  failures(): readonly RunReport[]
  counts(): ReadonlyMap<string, number>
  text(): string
}

export function createSummary(): Summary {
  const totals = new Map<string, number>()
  const failed: RunReport[] = []
  let [runs, payments, steps, longest] = [0, 0, 0, 0]
  return {
    add(report) {
      runs += 1
      payments += report.payments
      steps += report.steps
      longest = Math.max(longest, report.secondsToRest)
      for (const [what, count] of report.counts) totals.set(what, (totals.get(what) ?? 0) + count)
      if (report.violations.length > 0) failed.push(report)
    },
    failures: () => failed,
    counts: () => totals,
    text() {
      const lines = [...totals].toSorted(([a], [b]) => (a < b ? -1 : 1))
      return [
        `${runs} seeds, ${payments} payments, ${steps} steps, longest recovery ${longest} s`,
        ...lines.map(([what, count]) => `  ${what}: ${count}`),
        `${failed.length} seeds with violations`,
        ...failed.slice(0, 10).map(({ seed, violations }) => `  seed ${seed}: ${violations[0]}`),
      ].join('\n')
    },
  }
}
