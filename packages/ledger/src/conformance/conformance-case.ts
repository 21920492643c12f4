import type { LedgerStore } from '../store/ledger-store.ts'

/** What the suite needs of a test runner: `test` and `expect` of vitest or Jest will do. */
export type ConformanceTools = {
  readonly test: (name: string, run: () => Promise<void>) => unknown
  readonly expect: (value: unknown) => Expectation
}

export type Expectation = {
  toBe(expected: unknown): void
  toEqual(expected: unknown): void
  readonly rejects: { toMatchObject(expected: object): Promise<void> }
}

/** An empty ledger of its own for one test. */
export type LedgerPlace = {
  /** Another handle on the same data, as another process would have. */
  open(): Promise<LedgerStore>
  /** Closes what was opened and deletes the data. */
  dispose(): Promise<void>
}

/** One case of the suite: two handles on one empty ledger. */
export type ConformanceCase = {
  readonly name: string
  readonly run: (
    replicas: { readonly store: LedgerStore; readonly other: LedgerStore },
    expect: ConformanceTools['expect'],
  ) => Promise<void>
}
