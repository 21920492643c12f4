import { LedgerError, TransitionError } from '@farebox/ledger'
import type { Observer, PaymentActivity } from './payment-events.ts'

type RowReport = (error: unknown) => void

/** Reports what is wrong with a row of the ledger. */
export function rowReport(
  { notify }: { readonly notify: Observer },
  during: PaymentActivity,
): RowReport {
  return (error) => {
    notify({ type: 'fault', during, error })
  }
}

/**
 * Runs the part of a round that concerns one row. What is wrong with that row is reported, and delays
 * no other; any other error ends the round.
 */
export async function rowAlone<Result>(
  report: RowReport,
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

/** Whether an error says that one row is wrong, and not that the store is. */
export function isOfOneRow(error: unknown): boolean {
  return (
    error instanceof TransitionError || (error instanceof LedgerError && codes.includes(error.code))
  )
}
