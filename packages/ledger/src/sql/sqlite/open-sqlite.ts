import { accessSync, closeSync, constants, existsSync, openSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { LedgerError } from '../../payment/ledger-error.ts'
import type { LedgerStore } from '../../store/ledger-store.ts'
import { compileQueries } from '../queries/queries.ts'
import { migrate, type OlderSchema, refuseOtherSchema } from '../schema/migrations.ts'
import type { LedgerDatabase } from '../schema/schema.ts'
import { createSqlStore } from '../sql-store.ts'
import { startCheckpointThread } from './checkpoint-thread.ts'
import { createFolder } from './create-folder.ts'
import type { LedgerNotice } from './ledger-notice.ts'
import { createLogCheckpoint, type LogCheckpoint, maxPages } from './log-checkpoint.ts'
import { createLogFlush, type LogFlush } from './log-flush.ts'
import { describeSqliteError, isSqliteBusy } from './sqlite-error.ts'
import { createSqliteExecutor } from './sqlite-executor.ts'

type Notify = (notice: LedgerNotice) => void

type Driver = typeof import('better-sqlite3')

/** The oldest Node that the driver's binary supports; older ones crash. */
const oldestNode = 22
const openingMs = 10_000
const busyPauseMs = 20

/** Opens the file, creates it if it does not exist, and migrates it to the current schema. */
export async function openSqlite(
  path: string,
  notify: Notify,
  olderSchema: OlderSchema,
): Promise<LedgerStore> {
  const driver = await importDriver()
  const file = resolve(path)
  let database: Database | undefined
  try {
    if (olderSchema === 'migrate') createPrivately(file)
    database = new driver(file, { timeout: openingMs, fileMustExist: true })
    const db = new Kysely<LedgerDatabase>({ dialect: new SqliteDialect({ database }) })
    if (olderSchema === 'refuse') await refuseOtherSchema(db, 'sqlite')
    await useWriteAheadLog(database)
    configure(database)
    if (olderSchema === 'migrate') await migrateWhole(db, database)
    // From here on, waiting for a busy file does not block the event loop.
    database.pragma('busy_timeout = 20')
    const openReader = (): Database =>
      new driver(file, { readonly: true, timeout: openingMs }).defaultSafeIntegers(true)
    const log = await openLog(database, file)
    const checkpoint = openCheckpoint(database, file, notify)
    const executor = createSqliteExecutor({ database, log, checkpoint, openReader })
    return createSqlStore(compileQueries(db, 'sqlite'), executor)
  } catch (error) {
    database?.close()
    throw describeSqliteError(error)
  }
}

/** From here on, a commit is on disk once the log is flushed, and not when it returns. */
async function openLog(database: Database, file: string): Promise<LogFlush> {
  database.pragma('synchronous = NORMAL')
  const version = database.prepare('pragma data_version').pluck()
  const log = createLogFlush({
    file: await open(`${file}-wal`, 'r+'),
    othersVersion: () => version.get(),
  })
  try {
    await log.flush()
  } catch (error) {
    await log.close()
    throw error
  }
  return log
}

/** From here on, a thread copies the log into the file, and not a commit. */
function openCheckpoint(database: Database, file: string, notify: Notify): LogCheckpoint {
  const measured = database.prepare<[], LogPages>('pragma wal_checkpoint(noop)')
  const copyInThread = () => database.pragma('wal_autocheckpoint = 0')
  copyInThread()
  return createLogCheckpoint({
    pagesToCopy: () => {
      const pages = measured.get()
      return pages === undefined ? 0 : Number(pages.log - pages.checkpointed)
    },
    startThread: () => startCheckpointThread(file),
    copyInCommits: () => database.pragma(`wal_autocheckpoint = ${maxPages}`),
    copyInThread,
    clock: () => performance.now(),
    notify,
  })
}

type LogPages = { readonly log: bigint; readonly checkpointed: bigint }

async function importDriver(): Promise<Driver> {
  const [major] = process.versions.node.split('.').map(Number)
  if (major === undefined || major < oldestNode) {
    throw new LedgerError(
      'node_too_old',
      `SQLite needs Node ${oldestNode} or later; this is ${process.versions.node}`,
    )
  }
  try {
    return (await import('better-sqlite3')).default
  } catch (cause) {
    throw new LedgerError(
      'driver_missing',
      'a sqlite: ledger needs the package better-sqlite3: install it',
      {
        cause,
      },
    )
  }
}

/**
 * If several processes do this at once on a new file, SQLite rejects all but one without waiting.
 */
async function useWriteAheadLog(database: Database, attempts = openingMs / busyPauseMs) {
  try {
    database.pragma('journal_mode = WAL')
  } catch (error) {
    if (!isSqliteBusy(error) || attempts <= 1) throw error
    await setTimeout(busyPauseMs)
    await useWriteAheadLog(database, attempts - 1)
  }
}

/**
 * The ledger contains signed payments, so no other user of the machine may read it. An existing file
 * is not opened: closing it would release the locks of another connection of this process, and an
 * older SQLite that closes the file would then remove the log.
 */
function createPrivately(file: string): void {
  createFolder(dirname(file))
  if (existsSync(file)) accessSync(file, constants.R_OK | constants.W_OK)
  else closeSync(openSync(file, 'a', 0o600))
}

/** With FULL, the schema is on disk before it is used, even if the power fails. */
function configure(database: Database): void {
  database.defaultSafeIntegers(true)
  database.pragma('synchronous = FULL')
  database.pragma('journal_size_limit = 67108864')
}

/**
 * Kysely migrates SQLite without a transaction. In one, a crash leaves either the old schema or the
 * new, and of several processes that open a new file, one migrates while the others wait. A
 * migration may copy a table, so foreign keys are checked only afterwards, and it may rewrite a
 * constraint, which needs unsafe mode.
 */
async function migrateWhole(db: Kysely<LedgerDatabase>, database: Database): Promise<void> {
  database.pragma('foreign_keys = OFF')
  database.unsafeMode(true)
  database.exec('begin immediate')
  await migrate(db, 'sqlite')
  database.exec('commit')
  database.unsafeMode(false)
  database.pragma('foreign_keys = ON')
}
