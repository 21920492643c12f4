import { type BodyLimits, defaultBodyLimits } from './body-limits.ts'
import { createByteShares } from './byte-shares.ts'
import { createJsonThread, type JsonThread } from './json-thread.ts'

/** Limits the memory and the time of all bodies that are being read, and the memory of those in use. */
export type BodyBudget = {
  readonly limits: BodyLimits
  /** Holds nothing yet; `client` is the address that the rate limit counts by. */
  hold(client: string): BodyReservation
  /**
   * Counts a body that was read until its request has ended, or names the exhausted limit: a request may
   * wait for its payment or its provider for minutes. Smaller bodies than `uncountedBytes` always fit.
   */
  use(
    client: string,
    body: { readonly bytes: number; readonly ended: () => Promise<unknown> },
  ): 'held' | 'service_full' | 'client_full'
  /** Parses large bodies, which would block the event loop. */
  readonly thread: JsonThread
}

export type BodyReservation = {
  /**
   * Reserves more bytes, or names the exhausted limit: the budget of the process or the client's
   * share. When the budget is used up, the largest body that is still arriving is evicted to make
   * room for a smaller one: otherwise a few clients that fill the memory and wait would keep out all
   * others.
   */
  grow(bytes: number): 'held' | 'service_full' | 'client_full'
  /** The body may be evicted from now on: `evict` stops reading it. */
  arrive(evict: () => void): void
  /** It may not be evicted any more. */
  keep(): void
  release(): void
}

/** A body that is being received. */
type Arriving = {
  readonly held: () => number
  readonly evict: () => void
  readonly release: () => void
}

/** A budget of `bytes` for all bodies in memory. Throws a RangeError for a limit that is unknown, or NaN. */
export function createBodyBudget(bytes: number, options: Partial<BodyLimits> = {}): BodyBudget {
  const limits = readLimits(bytes, options)
  const sharesOf = (ofAll: number) =>
    createByteShares({ ofAll, ofClient: Math.max(ofAll * limits.clientShare, limits.maxBytes) })
  const [reserved, used] = [sharesOf(bytes), sharesOf(limits.inUseBytes)]
  const arriving = new Set<Arriving>()

  /** Whether there is room for more bytes of a body that holds this many. */
  function makeRoom(client: string, held: number, more: number): boolean {
    while (reserved.exceededBy(client, more) !== undefined) {
      const largest = largestOf(arriving)
      if (largest === undefined || largest.held() <= held + more) return false
      largest.release()
      largest.evict()
    }
    return true
  }

  function hold(client: string): BodyReservation {
    let held = 0
    let body: Arriving | undefined
    function keep(): void {
      if (body !== undefined) arriving.delete(body)
    }
    function release(): void {
      keep()
      reserved.add(client, -held)
      held = 0
    }
    return {
      grow: (more) => {
        if (reserved.exceededBy(client, more) === 'client_full') return 'client_full'
        if (!makeRoom(client, held, more)) return 'service_full'
        held += more
        reserved.add(client, more)
        return 'held'
      },
      arrive: (evict) => {
        body = { held: () => held, evict, release }
        arriving.add(body)
      },
      keep,
      release,
    }
  }

  return {
    limits,
    hold,
    use(client, { bytes: size, ended }) {
      if (size <= limits.uncountedBytes) return 'held'
      const exceeded = used.exceededBy(client, size)
      if (exceeded !== undefined) return exceeded
      used.add(client, size)
      void ended().finally(() => used.add(client, -size))
      return 'held'
    },
    thread: createJsonThread(),
  }
}

function largestOf(bodies: ReadonlySet<Arriving>): Arriving | undefined {
  let largest: Arriving | undefined
  for (const body of bodies) if (body.held() > (largest?.held() ?? 0)) largest = body
  return largest
}

/** Nothing exceeds NaN, such as `Number` of a variable that is unset. */
function readLimits(bytes: number, options: Partial<BodyLimits>): BodyLimits {
  const limits = { ...defaultBodyLimits, ...options }
  const unknown = Object.keys(limits).find((name) => !Object.hasOwn(defaultBodyLimits, name))
  if (unknown !== undefined) throw new RangeError(`a body budget has no limit ${unknown}`)
  for (const [name, limit] of Object.entries({ bytes, ...limits })) {
    if (!(limit >= 0)) throw new RangeError(`${name} must be at least 0, and is ${limit}`)
  }
  return limits
}
