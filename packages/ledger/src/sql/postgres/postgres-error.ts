import { LedgerError } from '../../payment/ledger-error.ts'
import { TransitionError } from '../../payment/transition-error.ts'

const uniqueViolation = '23505'
const serializationFailure = '40001'
const deadlock = '40P01'

/** Translates an error of PostgreSQL for callers of the store. */
export function describePostgresError(error: unknown): Error {
  if (error instanceof LedgerError || error instanceof TransitionError) return error
  const message = error instanceof Error ? error.message : String(error)
  const code = fieldOf(error, 'code')
  if (code === uniqueViolation && fieldOf(error, 'constraint').endsWith('_proof')) {
    return new LedgerError('proof_used', 'the transfer already proves another payment or refund', {
      cause: error,
    })
  }
  if (code.startsWith('23'))
    return new LedgerError('refused_by_database', message, { cause: error })
  return new LedgerError('store_unavailable', `PostgreSQL: ${message}`, { cause: error })
}

/** Whether the transaction was rolled back because of another one and can be run again. */
export function isRetryable(error: unknown): boolean {
  const code = fieldOf(error, 'code')
  return code === serializationFailure || code === deadlock
}

function fieldOf(error: unknown, field: string): string {
  if (typeof error !== 'object' || error === null) return ''
  const value: unknown = Reflect.get(error, field)
  return typeof value === 'string' ? value : ''
}
