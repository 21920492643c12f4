import type { Operation } from './queries/query.ts'

/** Runs operations on one database. A promise resolves once its result is durable. */
export type Executor = {
  /** Reads committed data. */
  read<Result>(operation: () => Operation<Result>): Promise<Result>
  /** Runs one writing statement, or several that need no common transaction. */
  writeOnce<Result>(operation: () => Operation<Result>): Promise<Result>
  /** Runs in a transaction. The operation may be retried from its start. */
  write<Result>(operation: () => Operation<Result>): Promise<Result>
  /** Reads the database as of the first read, until it is closed. */
  snapshot(): Promise<Snapshot>
  /** Waits for pending operations, then closes. */
  close(): Promise<void>
}

export type Snapshot = {
  read<Result>(operation: () => Operation<Result>): Promise<Result>
  close(): Promise<void>
}
