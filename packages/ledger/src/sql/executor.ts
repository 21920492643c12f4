import type { Operation } from './queries/query.ts'

/** Runs operations on one database. What it resolves is durable. */
export type Executor = {
  /** Reads what is committed. */
  read<Result>(operation: () => Operation<Result>): Promise<Result>
  /** One statement that changes something, or several that need not be whole. */
  writeOnce<Result>(operation: () => Operation<Result>): Promise<Result>
  /** Whole or not at all. The operation may be run again from its start. */
  write<Result>(operation: () => Operation<Result>): Promise<Result>
  /** Reads the database as it is at the first read, until it is closed. */
  snapshot(): Promise<Snapshot>
  /** Waits for what was asked, then ends. */
  close(): Promise<void>
}

export type Snapshot = {
  read<Result>(operation: () => Operation<Result>): Promise<Result>
  close(): Promise<void>
}
