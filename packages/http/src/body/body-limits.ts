/** How large bodies may be, and how long one may take. */
export type BodyLimits = {
  readonly maxBytes: number
  /**
   * The share of the budget, and of `inUseBytes`, for the bodies of one client address; never less
   * than `maxBytes`.
   */
  readonly clientShare: number
  /** The most of all bodies that were read and whose requests have not ended. */
  readonly inUseBytes: number
  /** Smaller bodies do not count there, so that large ones keep none of them out. */
  readonly uncountedBytes: number
  /** The rate is measured over windows of this many milliseconds. */
  readonly windowMs: number
  /** The least bytes that must arrive in each window, the first included, until the body ends. */
  readonly minBytesPerWindow: number
  /** The most that a body may take, in milliseconds. */
  readonly totalMs: number
}

/**
 * 100 messages of 100,000 characters, each a six-byte escape, fit with room for the rest. An uplink
 * of 256 kbit/s brings 320 KB in a window, and 9.6 MB in all.
 */
export const defaultBodyLimits: BodyLimits = {
  maxBytes: 64 * 1024 * 1024,
  clientShare: 1 / 8,
  inUseBytes: 256 * 1024 * 1024,
  uncountedBytes: 64 * 1024,
  windowMs: 10_000,
  minBytesPerWindow: 160 * 1024,
  totalMs: 300_000,
}
