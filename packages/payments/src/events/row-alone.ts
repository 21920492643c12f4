import { LedgerError, TransitionError } from '@farebox/ledger'
import type { FaultReporter } from './fault-reporter.ts'

/**
 * Runs the part of a round that concerns one row. An error of that row alone is reported and does not
 * delay the others; any other error ends the round.
 */
export async function rowAlone<Result>(
  report: FaultReporter,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!isOfOneRow(error)) throw error
    report(error)
    return undefined
  }
}

const codes: readonly string[] = ['corrupt_row', 'not_found', 'refused_by_database', 'proof_used']

/** Whether an error concerns one row of the ledger, rather than the whole store. */
export function isOfOneRow(error: unknown): boolean {
  return (
    error instanceof TransitionError || (error instanceof LedgerError && codes.includes(error.code))
  )
}
