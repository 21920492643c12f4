import type { Operation } from '../queries/query.ts'

/** What a group needs of its database. All but `ready` and `flush` are synchronous. */
export type GroupDatabase = {
  /** Undefined if a group may begin; else resolves when it may. */
  ready(): Promise<void> | undefined
  begin(): void
  /** Writes the transaction; it survives the end of the process, but not yet a power failure. */
  commit(): void
  /** Resolves once everything that was committed before the call is on disk. */
  flush(): Promise<void>
  rollback(): void
  run<Result>(operation: () => Operation<Result>): Result
  /** Runs an operation entirely or not at all, regardless of the others in its group. */
  runAlone<Result>(operation: () => Operation<Result>): Result
  /** False once an error has ended the entire transaction. */
  inTransaction(): boolean
  /** Whether another process is writing, so that the group has to wait. */
  isBusy(error: unknown): boolean
  /** Translates an error for callers of the store. */
  describe(error: unknown): Error
}

export type GroupCommitOptions = {
  readonly database: GroupDatabase
  /** Monotonic, in milliseconds. */
  readonly clock: () => number
  /** How long a group waits for another process. */
  readonly waitMs: number
}

type Item = {
  /** Throws what the operation throws. */
  readonly run: () => Outcome
  readonly runAlone: () => Outcome
  readonly fail: (error: Error) => void
}
type Outcome = () => void

/** The most operations in one transaction, which limits how long the event loop is blocked. */
const maxGroupSize = 256
const busyPauseMs = 5
/**
 * For how many turns of the event loop a group waits for what other requests write in them. A turn
 * of a process with nothing else to do takes microseconds.
 */
const maxTurns = 4

/**
 * One writer for one SQLite file. Everything that is waiting when the flush of the last group ends
 * goes into one transaction, and so costs one flush; a promise resolves only after that. The event
 * loop does not wait for the disk. After a group of several, the next waits for more; an operation
 * that had its group for itself is followed by one that does not wait.
 */
export function createGroupCommit({ database, clock, waitMs }: GroupCommitOptions): GroupCommit {
  let waiting: Item[] = []
  /** Whether a group is scheduled, waiting for another process, or being flushed. */
  let isWorking = false
  let busySince: number | null = null
  let lastSize = 1
  const whenDrained: (() => void)[] = []

  const schedule = (): void => {
    if (isWorking) return
    isWorking = true
    afterTurns(Math.min(lastSize, maxTurns), () => whenReady(database, writeGroup))
  }
  const writeGroup = (): void => {
    const group = waiting.slice(0, maxGroupSize)
    const written = commitGroup(database, group)
    if (written.status === 'busy') {
      busySince ??= clock()
      if (clock() - busySince < waitMs) {
        setTimeout(whenReady, busyPauseMs, database, writeGroup)
        return
      }
    }
    busySince = null
    lastSize = group.length
    waiting = waiting.slice(lastSize)
    switch (written.status) {
      case 'busy':
        return finish(failures(group, database.describe(busy())))
      case 'failed':
        return finish(written.outcomes)
      case 'committed':
        database.flush().then(
          () => finish(written.outcomes),
          (error: unknown) => finish(failures(group, database.describe(error))),
        )
    }
  }
  const finish = (outcomes: readonly Outcome[]): void => {
    for (const outcome of outcomes) outcome()
    isWorking = false
    if (waiting.length > 0) schedule()
    else for (const drained of whenDrained.splice(0)) drained()
  }

  return {
    enqueue: (operation) =>
      new Promise((resolve, reject) => {
        const run = (): Outcome => {
          const result = database.run(operation)
          return () => resolve(result)
        }
        const runAlone = (): Outcome => runItem(database, operation, { resolve, reject })
        waiting.push({ run, runAlone, fail: reject })
        schedule()
      }),
    drained: () =>
      isWorking ? new Promise((resolve) => whenDrained.push(resolve)) : Promise.resolve(),
  }
}

function afterTurns(turns: number, work: () => void): void {
  setImmediate(() => {
    if (turns > 1) afterTurns(turns - 1, work)
    else work()
  })
}

function whenReady(database: GroupDatabase, write: () => void): void {
  const ready = database.ready()
  if (ready === undefined) write()
  else void ready.then(() => whenReady(database, write))
}

export type GroupCommit = {
  /** Resolves once the operation is on disk, rejects if it was undone. */
  enqueue<Result>(operation: () => Operation<Result>): Promise<Result>
  /** Resolves once the queue is empty and what was in it is settled. */
  drained(): Promise<void>
}

/** Runs an item; its promise is settled only after the group is committed. */
function runItem<Result>(
  database: GroupDatabase,
  operation: () => Operation<Result>,
  promise: { readonly resolve: (result: Result) => void; readonly reject: (error: Error) => void },
): Outcome {
  try {
    const result = database.runAlone(operation)
    return () => promise.resolve(result)
  } catch (error) {
    return () => promise.reject(database.describe(error))
  }
}

function busy(): Error {
  return new Error('another process kept the file locked for too long')
}

type Written =
  | { readonly status: 'committed' | 'failed'; readonly outcomes: readonly Outcome[] }
  /** Another process is writing. */
  | { readonly status: 'busy' }

/**
 * A savepoint per item copies the pages that the item writes. Items almost never fail, so
 * savepoints are used only in a second run of the group, after the first was rolled back.
 */
function commitGroup(database: GroupDatabase, group: readonly Item[]): Written {
  const written = commitItems(database, group, ({ run }) => run())
  return written.status === 'failed'
    ? commitItems(database, group, ({ runAlone }) => runAlone())
    : written
}

function commitItems(
  database: GroupDatabase,
  group: readonly Item[],
  runOne: (item: Item) => Outcome,
): Written {
  const failed = (error: unknown): Written => ({
    status: 'failed',
    outcomes: failures(group, database.describe(error)),
  })
  try {
    database.begin()
  } catch (error) {
    return database.isBusy(error) ? { status: 'busy' } : failed(error)
  }
  try {
    const outcomes: Outcome[] = []
    for (const item of group) {
      outcomes.push(runOne(item))
      if (!database.inTransaction()) throw new Error('the transaction was ended by an error')
    }
    database.commit()
    return { status: 'committed', outcomes }
  } catch (error) {
    if (database.inTransaction()) database.rollback()
    return failed(error)
  }
}

function failures(group: readonly Item[], error: Error): readonly Outcome[] {
  return group.map(
    ({ fail }) =>
      () =>
        fail(error),
  )
}
