import { LedgerError } from '../../payment/ledger-error.ts'

/** Brings the write-ahead log to disk without blocking the event loop. */
export type LogFlush = {
  /** Resolves once everything that was committed before the call is on disk. */
  flush(): Promise<void>
  /** Resolves once everything that this connection could have read is on disk. */
  seen(): Promise<void>
  close(): Promise<void>
}

export type LogFile = {
  /** Flushes the file. */
  datasync(): Promise<void>
  close(): Promise<void>
}

export type LogFlushOptions = {
  readonly file: LogFile
  /** Changes with each commit of another connection. */
  readonly othersVersion: () => unknown
}

/**
 * SQLite itself waits for the disk in each commit. Here it only writes its log, which is flushed by
 * its own thread; what was read waits for that too, so that nothing relies on a commit, of
 * this process or another, that a power failure could still undo. The log is flushed once at the
 * start, for commits that a process did not flush before it ended.
 *
 * After a flush that failed it is unknown what is on disk: from then on all flushes fail.
 */
export function createLogFlush({ file, othersVersion }: LogFlushOptions): LogFlush {
  let flushedVersion: unknown
  let last: Promise<void> | undefined
  let checking: Promise<void> | undefined

  async function flushAfter(previous: Promise<void> | undefined): Promise<void> {
    await previous
    flushedVersion = othersVersion()
    try {
      await file.datasync()
    } catch (cause) {
      throw flushFailed(cause)
    }
  }
  function flush(): Promise<void> {
    const flushed = flushAfter(last)
    last = flushed
    // A reader may await this later, or never.
    flushed.catch(() => undefined)
    return flushed
  }

  async function check(): Promise<void> {
    // What is read in one turn of the event loop is checked together, after the last of it.
    await Promise.resolve()
    checking = undefined
    const version = othersVersion()
    await last
    if (version !== flushedVersion) await flush()
  }

  return {
    flush,
    seen: () => (checking ??= check()),
    close: async () => {
      await last?.catch(() => undefined)
      await file.close()
    },
  }
}

/** Every later read and write fails with this too, long after the disk works again. */
function flushFailed(cause: unknown): LedgerError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const message = `SQLite: the log could not be flushed (${reason}), so what is on disk is unknown: restart this process once the disk works`
  return new LedgerError('store_unavailable', message, { cause })
}
