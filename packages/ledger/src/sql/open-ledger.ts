import { LedgerError } from '../payment/ledger-error.ts'
import type { LedgerStore } from '../store/ledger-store.ts'
import { openPostgres } from './postgres/open-postgres.ts'
import type { OlderSchema } from './schema/migrations.ts'
import type { LedgerNotice } from './sqlite/ledger-notice.ts'
import { openSqlite } from './sqlite/open-sqlite.ts'
import { sqlitePath } from './sqlite/sqlite-path.ts'

export type OpenLedgerOptions = {
  /** `sqlite:PATH` or `postgres://…` */
  readonly url: string
  /** The most connections to PostgreSQL; 16 by default. */
  readonly connections?: number
  /** Called with what an operator should know. */
  readonly notify?: (notice: LedgerNotice) => void
  /**
   * What happens to the ledger of an earlier version. `refuse` changes and creates nothing, so that the
   * processes of that version continue. `migrate` by default.
   */
  readonly olderSchema?: OlderSchema
}

/**
 * Opens the ledger in a database and migrates it to the current schema. Several processes may share
 * one PostgreSQL database, or one SQLite file on the same machine.
 *
 * @example
 * const ledger = await openLedger({ url: 'sqlite:farebox.db' })
 * const outcome = await ledger.claim(payment)
 * await ledger.close()
 *
 * @throws {LedgerError} `invalid_url`, `invalid_option`, `driver_missing`, `node_too_old`, `schema_newer`,
 * `schema_older`, `store_unavailable`.
 */
export async function openLedger(options: OpenLedgerOptions): Promise<LedgerStore> {
  const { url, connections = 16, olderSchema = 'migrate', ...rest } = options
  const { notify = () => undefined, ...unknown } = rest
  checkOptions({ connections, olderSchema, unknown })
  if (/^postgres(?:ql)?:\/\//.test(url)) return openPostgres(url, connections, olderSchema)
  const path = sqlitePath(url)
  if (path === undefined || path === ':memory:') {
    // The URL may contain a password, so the message does not show it.
    throw new LedgerError(
      'invalid_url',
      'the ledger URL is not valid: use sqlite:PATH or postgres://…',
    )
  }
  return openSqlite(path, notify, olderSchema)
}

type Checked = Required<Pick<OpenLedgerOptions, 'connections' | 'olderSchema'>> & {
  readonly unknown: object
}

/** Without types a misspelled `olderSchema` would migrate, and a pool without connections would wait for ever. */
function checkOptions({ connections, olderSchema, unknown }: Checked): void {
  for (const name in unknown) throw invalidOption(`openLedger has no option ${name}`)
  if (!Number.isSafeInteger(connections) || connections < 1) {
    throw invalidOption('connections must be a whole number above 0')
  }
  if (!['migrate', 'refuse'].includes(olderSchema)) {
    throw invalidOption('olderSchema must be "migrate" or "refuse"')
  }
}

function invalidOption(message: string): LedgerError {
  return new LedgerError('invalid_option', message)
}
