import type { Database } from 'better-sqlite3'

/** One read transaction for what is read at the same time. */
export type SharedRead = {
  /** Call it before reading. */
  begin(): void
  /** Call it before writing, and before the database is closed. */
  end(): void
}

/**
 * A read of its own would lock and unlock the file each time, which costs more than most reads do. The
 * transaction ends before the event loop goes on, so nothing that another process committed is missed
 * by a read that this process begins after hearing of it.
 */
export function createSharedRead(database: Database): SharedRead {
  const begin = database.prepare('begin')
  const commit = database.prepare('commit')

  function end(): void {
    if (database.inTransaction) commit.run()
  }

  return {
    begin() {
      if (database.inTransaction) return
      begin.run()
      // One step later than the log is asked what was read, which is then known without a lock.
      void Promise.resolve().then(nothing).then(end)
    },
    end,
  }
}

function nothing(): void {}
