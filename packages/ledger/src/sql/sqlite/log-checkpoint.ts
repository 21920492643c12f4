import type { CheckpointThread } from './checkpoint-thread.ts'
import type { LedgerNotice } from './ledger-notice.ts'

/** Copies the write-ahead log into the database without blocking the event loop. */
export type LogCheckpoint = {
  /** Called before each group of writes: undefined if it may begin, else resolves when it may. */
  ready(): Promise<void> | undefined
  close(): Promise<void>
}

export type LogCheckpointOptions = {
  /** The pages of the log that are not in the database yet. */
  readonly pagesToCopy: () => number
  readonly startThread: () => CheckpointThread
  /** From now on SQLite copies the log itself, within a commit. */
  readonly copyInCommits: () => void
  /** From now on only the thread copies the log. */
  readonly copyInThread: () => void
  /** Monotonic, in milliseconds. */
  readonly clock: () => number
  readonly notify: (notice: LedgerNotice) => void
}

/** 32 MB: pages that change often are copied once for many changes. */
export const maxPages = 8_000
/** The log is measured once in this many groups. */
const groupsBetween = 16
/** How long commits copy the log before another thread is started. */
export const retryMs = 60_000

/**
 * Most of the log is copied while groups are written. SQLite starts the log over only once all of
 * it is copied, so the last step keeps writers out. Groups wait for that step here: if they waited
 * in SQLite, they would block the event loop.
 */
export function createLogCheckpoint(options: LogCheckpointOptions): LogCheckpoint {
  const { pagesToCopy, startThread, clock, notify } = options
  let groups = 0
  let thread: CheckpointThread | undefined
  let running: Promise<void> | undefined
  let restart: Promise<void> | undefined
  let failedAt: number | undefined

  async function copy(): Promise<void> {
    try {
      thread ??= startThread()
      await thread.run('passive')
      restart = thread.run('restart')
      await restart
      useThread()
    } catch (error) {
      thread = undefined
      useCommits(error)
    }
    restart = undefined
    running = undefined
  }
  function useThread(): void {
    if (failedAt === undefined) return
    failedAt = undefined
    options.copyInThread()
    notify({ type: 'checkpoint_up' })
  }
  function useCommits(error: unknown): void {
    const isFirst = failedAt === undefined
    failedAt = clock()
    if (!isFirst) return
    options.copyInCommits()
    notify({ type: 'checkpoint_down', error })
  }
  // A commit that copies the log leaves nothing to measure.
  const isWanted = (): boolean =>
    failedAt === undefined ? pagesToCopy() > maxPages : clock() - failedAt >= retryMs
  const isDue = (): boolean => groups % groupsBetween === 0 && running === undefined && isWanted()

  return {
    ready() {
      groups += 1
      if (isDue()) running = copy()
      return restart === undefined ? undefined : running
    },
    async close() {
      await running
      await thread?.close()
    },
  }
}
