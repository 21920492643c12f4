import type { CheckpointThread } from './checkpoint-thread.ts'

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
}

/** 32 MB: pages that change often are copied once for many changes. */
export const mostPages = 8_000
/** The log is measured before every so many groups. */
const groupsBetween = 16

/**
 * Most of the log is copied while groups are written. SQLite starts the log over only once all of
 * it is copied, so the last step keeps writers out. Groups wait for that step here: if they waited
 * in SQLite, they would block the event loop.
 */
export function createLogCheckpoint(options: LogCheckpointOptions): LogCheckpoint {
  const { pagesToCopy, startThread, copyInCommits } = options
  let groups = 0
  let thread: CheckpointThread | undefined
  let running: Promise<void> | undefined
  let restart: Promise<void> | undefined
  let hasFailed = false

  async function copy(): Promise<void> {
    try {
      thread ??= startThread()
      await thread.run('passive')
      restart = thread.run('restart')
      await restart
    } catch {
      hasFailed = true
      copyInCommits()
    }
    restart = undefined
    running = undefined
  }
  const isDue = (): boolean =>
    groups % groupsBetween === 0 && running === undefined && !hasFailed && pagesToCopy() > mostPages

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
