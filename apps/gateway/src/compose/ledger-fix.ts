import type { LedgerError } from '@farebox/ledger'

/** What an operator does about a ledger that cannot be opened; `undefined` if the message is enough. */
export function ledgerFix({ code, cause }: LedgerError): string | undefined {
  if (code === 'schema_newer') return 'run that version, or restore a backup from before'
  if (code === 'schema_older') {
    return 'start the gateway of this version, or run the command of the version that runs now'
  }
  const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return fixes.find(([pattern]) => pattern.test(reason))?.[1]
}

/** By the code of the driver or of the system. */
const fixes: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:EACCES|EPERM|EROFS|SQLITE_READONLY\w*|SQLITE_CANTOPEN\w*)$/,
    'give this user the file and its folder, or set DATABASE_URL or DATA_DIR to another place',
  ],
  [
    /^(?:ENOSPC|SQLITE_FULL|SQLITE_IOERR\w*)$/,
    'free space on the disk of the ledger, or set DATABASE_URL or DATA_DIR to a place on another disk',
  ],
  [
    /^SQLITE_(?:NOTADB|CORRUPT\w*)$/,
    'restore a backup, or set DATABASE_URL or DATA_DIR to another place',
  ],
  // Insufficient privilege. Since PostgreSQL 15, only the owner of a database may create tables in it.
  [
    /^42501$/,
    'let the role of DATABASE_URL own the database (ALTER DATABASE … OWNER TO …) and the tables of the ledger',
  ],
  [/^3D000$/, 'create the database, or correct DATABASE_URL'],
]
