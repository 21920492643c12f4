import { type BodyLimits, defaultBodyLimits } from './body-limits.ts'
import { createJsonThread, type JsonThread } from './json-thread.ts'

/** Limits the memory and the time of all bodies that are being read. */
export type BodyBudget = {
  readonly limits: BodyLimits
  /** Holds nothing yet; `client` is the address that the rate limit counts by. */
  hold(client: string): BodyReservation
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

/** A budget of `bytes` for all bodies that are in memory at the same time. */
export function createBodyBudget(bytes: number, options: Partial<BodyLimits> = {}): BodyBudget {
  const limits = { ...defaultBodyLimits, ...options }
  const share = Math.max(bytes * limits.clientShare, limits.maxBytes)
  const heldBy = new Map<string, number>()
  const arriving = new Set<Arriving>()
  let reserved = 0

  function add(client: string, more: number): void {
    const held = (heldBy.get(client) ?? 0) + more
    reserved += more
    if (held === 0) heldBy.delete(client)
    else heldBy.set(client, held)
  }

  /** Whether there is room for more bytes of a body that holds this many. */
  function makeRoom(held: number, more: number): boolean {
    while (reserved + more > bytes) {
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
      add(client, -held)
      held = 0
    }
    return {
      grow: (more) => {
        if ((heldBy.get(client) ?? 0) + more > share) return 'client_full'
        if (!makeRoom(held, more)) return 'service_full'
        held += more
        add(client, more)
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

  return { limits, hold, thread: createJsonThread() }
}

function largestOf(bodies: ReadonlySet<Arriving>): Arriving | undefined {
  let largest: Arriving | undefined
  for (const body of bodies) if (body.held() > (largest?.held() ?? 0)) largest = body
  return largest
}
