import type { Operation } from '../queries/query.ts'

/** What a group needs of its database. Each call is synchronous. */
export type GroupDatabase = {
  begin(): void
  commit(): void
  rollback(): void
  /** Runs an operation whole or not at all, whatever becomes of its neighbours. */
  runAlone<Result>(operation: () => Operation<Result>): Result
  /** False once an error has ended the whole transaction. */
  inTransaction(): boolean
  /** Whether another process is writing, so that the group may begin later. */
  isBusy(error: unknown): boolean
  /** How errors are told to callers. */
  describe(error: unknown): Error
}

export type GroupCommitOptions = {
  readonly database: GroupDatabase
  /** Monotonic, in milliseconds. */
  readonly clock: () => number
  /** How long another process may keep a group from beginning. */
  readonly patience: number
}

type Item = {
  readonly run: () => Outcome
  readonly fail: (error: Error) => void
}
type Outcome = () => void

/** The most operations of one transaction: it bounds how long the event loop stands still. */
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
    const told = outcomes === 'busy' ? failures(group, database.describe(busy())) : outcomes
    for (const tell of told) tell()
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
  /** Resolves once nothing waits. */
  drained(): Promise<void>
}

/** What is to be told of an item, once the group is committed. */
function runItem<Result>(
  database: GroupDatabase,
  operation: () => Operation<Result>,
  told: { readonly resolve: (result: Result) => void; readonly reject: (error: Error) => void },
): Outcome {
  try {
    const result = database.runAlone(operation)
    return () => told.resolve(result)
  } catch (error) {
    return () => told.reject(database.describe(error))
  }
}

function busy(): Error {
  return new Error('another process keeps writing to the file')
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
