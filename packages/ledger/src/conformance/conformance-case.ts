import type { LedgerStore } from '../store/ledger-store.ts'

/** What the suite needs from a test runner: `test` and `expect` of Vitest or Jest. */
export type ConformanceTools = {
  readonly test: (name: string, run: () => Promise<void>) => unknown
  readonly expect: (value: unknown) => Expectation
}

export type Expectation = {
  toBe(expected: unknown): void
  toEqual(expected: unknown): void
  readonly rejects: { toMatchObject(expected: object): Promise<void> }
}

/** An empty ledger for one test. */
export type TestLedger = {
  /** Opens another handle on the same data, as another process would. */
  open(): Promise<LedgerStore>
  /** Closes all handles and deletes the data. */
  dispose(): Promise<void>
}

/** One case of the suite, which gets two handles on one empty ledger. */
export type ConformanceCase = {
  readonly name: string
  readonly run: (
    replicas: { readonly store: LedgerStore; readonly other: LedgerStore },
    expect: ConformanceTools['expect'],
  ) => Promise<void>
}
