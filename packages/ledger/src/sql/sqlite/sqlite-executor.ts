import type { Database, Statement } from 'better-sqlite3'
import { LedgerError } from '../../payment/ledger-error.ts'
import type { Executor, Snapshot } from '../executor.ts'
import {
  type Answer,
  boundValues,
  noAnswer,
  type Operation,
  type Row,
  type SqlValue,
} from '../queries/query.ts'
import { createGroupCommit, type GroupDatabase } from './group-commit.ts'
import type { LogCheckpoint } from './log-checkpoint.ts'
import type { LogFlush } from './log-flush.ts'
import { describeSqliteError, isSqliteBusy } from './sqlite-error.ts'

export type SqliteExecutorOptions = {
  readonly database: Database
  readonly log: LogFlush
  readonly checkpoint: LogCheckpoint
  /** Opens a second connection, read-only. */
  readonly openReader: () => Database
}

/** How long a group waits for another process that writes to the same file. */
const patienceMs = 10_000

/** Runs operations on SQLite: reads immediately, writes in groups. Both return what is on disk. */
export function createSqliteExecutor(options: SqliteExecutorOptions): Executor {
  const { database, log, checkpoint, openReader } = options
  const run = createRunner(database)
  const group = createGroupCommit({
    database: groupDatabase(options, run),
    clock: () => performance.now(),
    waitMs: patienceMs,
  })
  let isClosed = false
  const refuseIfClosed = (): void => {
    if (isClosed) throw new LedgerError('closed', 'the ledger is closed')
  }
  const write = async <Result>(operation: () => Operation<Result>): Promise<Result> => {
    refuseIfClosed()
    return group.enqueue(operation)
  }
  return {
    read: async (operation) => {
      refuseIfClosed()
      const result = described(() => run(operation()))
      try {
        await log.seen()
      } catch (error) {
        throw describeSqliteError(error)
      }
      return result
    },
    write,
    writeOnce: write,
    snapshot: async () => {
      refuseIfClosed()
      return described(() => openSnapshot(openReader()))
    },
    close: async () => {
      if (isClosed) return
      isClosed = true
      await group.drained()
      await checkpoint.close()
      await log.close()
      database.close()
    },
  }
}

type Runner = <Result>(operation: Operation<Result>) => Result

/** Runs all statements of an operation without yielding to the event loop. */
function createRunner(database: Database): Runner {
  const prepared = new Map<string, Statement<SqlValue[], Row>>()
  const prepare = (text: string): Statement<SqlValue[], Row> => {
    const known = prepared.get(text)
    if (known !== undefined) return known
    const statement = database.prepare<SqlValue[], Row>(text)
    prepared.set(text, statement)
    return statement
  }
  return (operation) => {
    let step = operation.next(noAnswer)
    while (step.done !== true) {
      const statement = prepare(step.value.query.text)
      step = operation.next(answerOf(statement, boundValues(step.value)))
    }
    return step.value
  }
}

function answerOf(statement: Statement<SqlValue[], Row>, values: SqlValue[]): Answer {
  return statement.reader
    ? { rows: statement.all(...values), written: 0 }
    : { rows: [], written: statement.run(...values).changes }
}

function groupDatabase(
  { database, log, checkpoint }: SqliteExecutorOptions,
  run: Runner,
): GroupDatabase {
  const begin = database.prepare('begin immediate')
  const commit = database.prepare('commit')
  const rollback = database.prepare('rollback')
  const savepoint = database.prepare('savepoint item')
  const release = database.prepare('release item')
  const undo = database.prepare('rollback to item')
  return {
    ready: checkpoint.ready,
    begin: () => void begin.run(),
    commit: () => void commit.run(),
    flush: log.flush,
    rollback: () => void rollback.run(),
    run: (operation) => run(operation()),
    runAlone: (operation) => {
      savepoint.run()
      try {
        const result = run(operation())
        release.run()
        return result
      } catch (error) {
        if (database.inTransaction) {
          undo.run()
          release.run()
        }
        throw error
      }
    },
    inTransaction: () => database.inTransaction,
    isBusy: isSqliteBusy,
    describe: describeSqliteError,
  }
}

function openSnapshot(reader: Database): Snapshot {
  const run = createRunner(reader)
  reader.exec('begin')
  return {
    read: async (operation) => described(() => run(operation())),
    close: async () => {
      reader.close()
    },
  }
}

function described<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw describeSqliteError(error)
  }
}
