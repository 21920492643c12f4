import { Kysely, PostgresDialect } from 'kysely'
import type { PoolClient, PoolConfig } from 'pg'
import { LedgerError } from '../../payment/ledger-error.ts'
import type { LedgerStore } from '../../store/ledger-store.ts'
import { compileQueries } from '../queries/queries.ts'
import { migrate, type OlderSchema, refuseOtherSchema } from '../schema/migrations.ts'
import type { LedgerDatabase } from '../schema/schema.ts'
import { createSqlStore } from '../sql-store.ts'
import { describePostgresError, isRetryable } from './postgres-error.ts'
import { createPostgresExecutor } from './postgres-executor.ts'

type Driver = Pick<typeof import('pg'), 'Pool' | 'TypeOverrides'>

const bigintType = 20

/** Connects and brings the database to the current schema; replicas may start at the same time. */
export async function openPostgres(
  url: string,
  connections: number,
  olderSchema: OlderSchema,
): Promise<LedgerStore> {
  const driver = await importDriver()
  const pool = new driver.Pool(poolConfig(driver, { url, connections }))
  // The pool replaces an idle connection that breaks; the next query reports a lasting fault.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => {
    // A connection that breaks fails its query; without a listener the event would end the process.
    client.on('error', () => undefined)
    configure(client)
  })
  const db = new Kysely<LedgerDatabase>({ dialect: new PostgresDialect({ pool }) })
  try {
    if (olderSchema === 'migrate') await migrateAmongOthers(db)
    else await refuseOtherSchema(db, 'postgres')
  } catch (error) {
    await pool.end()
    throw describePostgresError(error)
  }
  return createSqlStore(compileQueries(db, 'postgres'), createPostgresExecutor(pool))
}

/** In a rolling upgrade, what an earlier version writes and a migration may wait for each other. */
async function migrateAmongOthers(db: Kysely<LedgerDatabase>, attempts = 10): Promise<void> {
  try {
    await migrate(db, 'postgres')
  } catch (error) {
    if (!isRetryable(error) || attempts === 1) throw error
    await migrateAmongOthers(db, attempts - 1)
  }
}

async function importDriver(): Promise<Driver> {
  try {
    return (await import('pg')).default
  } catch (cause) {
    throw new LedgerError('driver_missing', 'a postgres: ledger needs the package pg: install it', {
      cause,
    })
  }
}

function poolConfig(
  { TypeOverrides }: Driver,
  { url, connections }: { readonly url: string; readonly connections: number },
): PoolConfig {
  // 64-bit numbers arrive as text. They become bigint, never number, in this pool only.
  const types = new TypeOverrides()
  types.setTypeParser(bigintType, BigInt)
  return {
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: 5_000,
    types,
  }
}

/**
 * Limits each statement to 15 seconds, and turns synchronous commits on where the server would
 * acknowledge them before they are on disk. Whatever the server's default, a statement sees what was
 * committed before it: claims wait for each other, and then sum up those they waited for. Poolers
 * reject a connection that starts with settings.
 */
function configure(client: PoolClient): void {
  const statement = `set statement_timeout = 15000;
    set default_transaction_isolation = 'read committed';
    select set_config('synchronous_commit', 'on', false)
    where current_setting('synchronous_commit') = 'off'`
  // A connection that fails here fails again on first use, where the caller handles it.
  client.query(statement).catch(() => undefined)
}
