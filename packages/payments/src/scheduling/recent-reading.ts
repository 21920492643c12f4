export type RecentReadingOptions = {
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** For how long a reading is used, in milliseconds. */
  readonly freshMs: number
}

/**
 * Reads at most once in `freshMs`. Concurrent callers share a reading, and one that failed is
 * repeated.
 */
export function createRecentReading<Value>(
  read: () => Promise<Value>,
  { clock, freshMs }: RecentReadingOptions,
): () => Promise<Value> {
  let last: { readonly at: number; readonly value: Promise<Value> } | undefined
  return function recentReading() {
    const at = clock()
    // The clock may have been set back.
    if (last !== undefined && Math.abs(at - last.at) < freshMs) return last.value
    const value = read()
    last = { at, value }
    value.catch(() => {
      if (last?.value === value) last = undefined
    })
    return value
  }
}
