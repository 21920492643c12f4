import { LedgerError } from '../../payment/ledger-error.ts'
import { TransitionError } from '../../payment/transition-error.ts'

/** Translates an error of SQLite for callers of the store. */
export function describeSqliteError(error: unknown): Error {
  if (error instanceof LedgerError || error instanceof TransitionError) return error
  const code = sqliteCode(error)
  const message = error instanceof Error ? error.message : String(error)
  if (code === 'SQLITE_CONSTRAINT_UNIQUE' && message.includes('_log_index')) {
    return new LedgerError('proof_used', 'the transfer already proves another payment or refund', {
      cause: error,
    })
  }
  if (code.startsWith('SQLITE_CONSTRAINT')) {
    return new LedgerError('refused_by_database', message, { cause: error })
  }
  return new LedgerError('store_unavailable', `SQLite: ${message}`, { cause: error })
}

export function isSqliteBusy(error: unknown): boolean {
  return sqliteCode(error).startsWith('SQLITE_BUSY')
}

function sqliteCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
