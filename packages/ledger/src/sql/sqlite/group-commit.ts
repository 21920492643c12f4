import type { Operation } from '../queries/query.ts'

/** What a group needs of its database. Each call is synchronous. */
export type GroupDatabase = {
  begin(): void
  commit(): void
  rollback(): void
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
  /** How long a group waits for another process, in milliseconds. */
  readonly patience: number
}

type Item = {
  readonly run: () => Outcome
  readonly fail: (error: Error) => void
}
type Outcome = () => void

/** The most operations in one transaction, which limits how long the event loop is blocked. */
const largestGroup = 256
const busyPause = 5

/**
 * One writer for one SQLite file. Everything that is waiting in a turn of the event loop goes into
 * one transaction and so costs one flush to disk; a promise resolves only after the commit.
 */
export function createGroupCommit({ database, clock, patience }: GroupCommitOptions): GroupCommit {
  let waiting: Item[] = []
  let isScheduled = false
  let busySince: number | null = null
  const whenDrained: (() => void)[] = []

  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(flush)
  }
  const flush = (): void => {
    isScheduled = false
    const group = waiting.slice(0, largestGroup)
    const outcomes = commitGroup(database, group)
    if (outcomes === 'busy') {
      busySince ??= clock()
      if (clock() - busySince < patience) {
        isScheduled = true
        setTimeout(flush, busyPause)
        return
      }
    }
    busySince = null
    waiting = waiting.slice(group.length)
    const settled = outcomes === 'busy' ? failures(group, database.describe(busy())) : outcomes
    for (const settle of settled) settle()
    if (waiting.length > 0) schedule()
    else for (const drained of whenDrained.splice(0)) drained()
  }

  return {
    enqueue: (operation) =>
      new Promise((resolve, reject) => {
        const run = (): Outcome => runItem(database, operation, { resolve, reject })
        waiting.push({ run, fail: reject })
        schedule()
      }),
    drained: () =>
      waiting.length === 0
        ? Promise.resolve()
        : new Promise((resolve) => whenDrained.push(resolve)),
  }
}

export type GroupCommit = {
  /** Resolves once the operation is on disk, rejects if it was undone. */
  enqueue<Result>(operation: () => Operation<Result>): Promise<Result>
  /** Resolves once the queue is empty. */
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

function commitGroup(database: GroupDatabase, group: readonly Item[]): readonly Outcome[] | 'busy' {
  try {
    database.begin()
  } catch (error) {
    return database.isBusy(error) ? 'busy' : failures(group, database.describe(error))
  }
  try {
    const outcomes: Outcome[] = []
    for (const item of group) {
      outcomes.push(item.run())
      if (!database.inTransaction()) throw new Error('the transaction was ended by an error')
    }
    database.commit()
    return outcomes
  } catch (error) {
    if (database.inTransaction()) database.rollback()
    return failures(group, database.describe(error))
  }
}

function failures(group: readonly Item[], error: Error): readonly Outcome[] {
  return group.map(
    ({ fail }) =>
      () =>
        fail(error),
  )
}
