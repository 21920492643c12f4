import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
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

/** Migrates a database to the current schema. */
export async function migrate(db: Kysely<LedgerDatabase>, dialect: SqlDialect): Promise<void> {
  const { error } = await createMigrator(db, dialect).migrateToLatest()
  if (error instanceof Error) throw error
  if (error !== undefined) throw new Error('the migration failed', { cause: error })
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
