import type { Report } from './report/report.ts'

export type SuiteOptions = {
  /** Fewer rounds: shows that a suite runs, not what it measures. */
  readonly isQuick: boolean
  /** How long a suite runs that only ends by the clock. */
  readonly minutes: number
  /** How many payments a large ledger has. */
  readonly payments: number
  /** URLs of ledgers that are filled already. */
  readonly ledgers: readonly string[]
}

/** One question about speed, measured against the peers that it names. */
export type Suite = {
  readonly name: string
  readonly question: string
  /** Runs only when it is named: it takes an hour, or tens of gigabytes. */
  readonly byName?: true
  /** Measures, and prints a table. Returns what `--save` writes. */
  readonly run: (options: SuiteOptions) => Promise<Report | undefined>
}
