import { type Kysely, type RawBuilder, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { LedgerError } from '../../payment/ledger-error.ts'
import { addChannels } from './add-channels.ts'
import { boundPayers } from './bound-payers.ts'
import { compareWords } from './compared-words.ts'
import { createTables } from './create-tables.ts'
import { createTriggers } from './create-triggers.ts'
import { freeQuota } from './free-quota.ts'
import { gasByTransaction } from './gas-by-transaction.ts'
import { operatorReports, providerCosts } from './operator-reports.ts'
import { renameRefundTransfers } from './rename-refund-transfers.ts'
import type { LedgerDatabase, SqlDialect } from './schema.ts'
import { duePayments, steadyRounds } from './steady-rounds.ts'

/** Keep it that of the last migration. */
export const latestMigration = '2026-11-28-compared-words'

/** The last migration of a later version, if one has migrated the database. */
export const laterMigration: RawBuilder<{ readonly name: string }> = sql`
  select name from ledger_migration where name > ${sql.lit(latestMigration)}
  order by name desc limit 1`

/** What happens to the ledger of an earlier version when it is opened. */
export type OlderSchema = 'migrate' | 'refuse'

/**
 * Migrates a database to the current schema.
 *
 * @throws {LedgerError} `schema_newer`.
 */
export async function migrate(db: Kysely<LedgerDatabase>, dialect: SqlDialect): Promise<void> {
  const { error } = await createMigrator(db, dialect).migrateToLatest()
  if (error === undefined) return
  const later = await laterMigration.execute(db).catch(() => undefined)
  refuseNewerSchema(later?.rows[0])
  throw error instanceof Error ? error : new Error('the migration failed', { cause: error })
}

/** A later version may have renamed or forbidden what this version writes. */
export function refuseNewerSchema(later: { readonly name?: unknown } | undefined): void {
  if (later === undefined) return
  throw new LedgerError(
    'schema_newer',
    `a later version of Farebox has migrated the ledger (${String(later.name)})`,
  )
}

/**
 * Only reads.
 *
 * @throws {LedgerError} `schema_older`, `schema_newer`.
 */
export async function refuseOtherSchema(
  db: Kysely<LedgerDatabase>,
  dialect: SqlDialect,
): Promise<void> {
  const migrations = await createMigrator(db, dialect).getMigrations()
  const done = migrations.filter(({ executedAt }) => executedAt !== undefined)
  if (done.length < migrations.length) {
    throw new LedgerError(
      'schema_older',
      `the schema of the ledger is ${done.at(-1)?.name ?? 'missing'}, and this version migrates it to ${latestMigration}`,
    )
  }
  const later = await laterMigration.execute(db)
  refuseNewerSchema(later.rows[0])
}

/** Migrations are only ever appended, and run in order of their names. */
export function createMigrator(db: Kysely<LedgerDatabase>, dialect: SqlDialect): Migrator {
  const migrations: Record<string, Migration> = {
    '2026-11-20-ledger': {
      up: (transaction) =>
        execute(transaction, [...createTables(dialect), ...createTriggers(dialect)]),
    },
    '2026-11-22-bound-payers': {
      up: (transaction) => execute(transaction, boundPayers(dialect)),
    },
    '2026-11-22-operator-reports': {
      up: (transaction) => execute(transaction, operatorReports(dialect)),
    },
    '2026-11-23-channels': {
      up: (transaction) => addChannels(transaction, dialect),
    },
    '2026-11-24-provider-costs': {
      up: (transaction) => execute(transaction, providerCosts(dialect)),
    },
    '2026-11-24-steady-rounds': {
      up: (transaction) => execute(transaction, steadyRounds(dialect)),
    },
    '2026-11-25-due-payments': {
      up: (transaction) => execute(transaction, duePayments(dialect)),
    },
    '2026-11-25-free-quota': {
      up: (transaction) => execute(transaction, freeQuota(dialect)),
    },
    '2026-11-26-gas-by-transaction': {
      up: (transaction) => execute(transaction, gasByTransaction(dialect)),
    },
    '2026-11-27-refund-transfers': {
      up: (transaction) => execute(transaction, renameRefundTransfers(dialect)),
    },
    '2026-11-28-compared-words': {
      up: (transaction) => compareWords(transaction, dialect),
    },
  }
  return new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve(migrations) },
    migrationTableName: 'ledger_migration',
    migrationLockTableName: 'ledger_migration_lock',
  })
}

async function execute<Database>(
  db: Kysely<Database>,
  statements: readonly string[],
): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
