import type { Operation } from './query.ts'

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
const largestGroup = 512
const busyPause = 5

/**
 * One writer for one SQLite file. Everything that is waiting in a turn of the event loop goes into
 * one transaction and so costs one flush to disk; a promise resolves only after the commit.
 */
export function createGroupCommit({ database, clock, patience }: GroupCommitOptions): {
  enqueue<Result>(operation: () => Operation<Result>): Promise<Result>
  drained(): Promise<void>
} {
  let waiting: Item[] = []
  let scheduled = false
  let busySince: number | null = null
  let whenDrained: (() => void)[] = []

  const schedule = (): void => {
    if (scheduled) return
    scheduled = true
    setImmediate(flush)
  }

  const flush = (): void => {
    scheduled = false
    const group = waiting.slice(0, largestGroup)
    const outcomes = commitGroup(database, group)
    if (outcomes === 'busy' && !isImpatient()) {
      scheduled = true
      setTimeout(flush, busyPause)
      return
    }
    busySince = null
    waiting = waiting.slice(group.length)
    if (outcomes === 'busy')
      failAll(group, database.describe(new Error('another process is writing')))
    else for (const tell of outcomes) tell()
    if (waiting.length > 0) schedule()
    else tellDrained()
  }

  const isImpatient = (): boolean => {
    busySince ??= clock()
    return clock() - busySince >= patience
  }

  const tellDrained = (): void => {
    const told = whenDrained
    whenDrained = []
    for (const tell of told) tell()
  }

  return {
    enqueue: (operation) =>
      new Promise((resolve, reject) => {
        const run = (): Outcome => {
          try {
            const result = database.runAlone(operation)
            return () => resolve(result)
          } catch (error) {
            return () => reject(database.describe(error))
          }
        }
        waiting.push({ run, fail: reject })
        schedule()
      }),
    drained: () =>
      waiting.length === 0
        ? Promise.resolve()
        : new Promise((resolve) => whenDrained.push(resolve)),
  }
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

function failAll(group: readonly Item[], error: Error): void {
  for (const { fail } of group) fail(error)
}
