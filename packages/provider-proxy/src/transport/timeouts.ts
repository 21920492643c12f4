/** How long a provider may take, in milliseconds. */
export type Timeouts = {
  /** Until the connection is established, TLS included. */
  readonly connect: number
  /**
   * From the call until the first token; long, since some models think first. Clients that use Node's
   * `fetch` wait five minutes for a response: what is left of them is for the settlement before it.
   */
  readonly firstToken: number
  /** Between two bytes after that; comment lines count. */
  readonly idle: number
  /** From the finish reason until the stream's end, in which the usage is still awaited. */
  readonly tail: number
  /** After a disconnect, where the usage is awaited: for the rest of the response. */
  readonly drain: number
  /** How long the provider may wait, in all, for a client that reads too slowly. */
  readonly backPressure: number
  /** For the complete call. */
  readonly total: number
}

/** The longest delay of Node's timers: a longer one, or NaN, fires at once. */
const longest = 2 ** 31 - 1

/**
 * The defaults with changes.
 *
 * @throws {TypeError} for a timeout that is unknown, or is not above zero and at most 24 days.
 */
export function readTimeouts(changes: Partial<Timeouts> = {}): Timeouts {
  for (const [name, ms] of Object.entries(changes)) {
    if (!Object.hasOwn(defaultTimeouts, name)) throw new TypeError(`timeouts has no ${name}`)
    if (typeof ms === 'number' && ms > 0 && ms <= longest) continue
    throw new TypeError(`timeouts.${name} must be milliseconds above 0 and at most ${longest}`)
  }
  return { ...defaultTimeouts, ...changes }
}

export const defaultTimeouts: Timeouts = {
  connect: 5_000,
  firstToken: 270_000,
  idle: 60_000,
  tail: 5_000,
  drain: 300_000,
  backPressure: 120_000,
  total: 900_000,
}
