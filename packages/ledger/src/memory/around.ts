/** Runs an operation; see `MemoryStoreOptions`. */
export type Around = <Result>(operation: () => Result) => Promise<Result>
