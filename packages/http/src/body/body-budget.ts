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
   * share.
   */
  grow(bytes: number): 'held' | 'service_full' | 'client_full'
  release(): void
}

/** A budget of `bytes` for all bodies that are in memory at the same time. */
export function createBodyBudget(bytes: number, options: Partial<BodyLimits> = {}): BodyBudget {
  const limits = { ...defaultBodyLimits, ...options }
  const share = Math.max(bytes * limits.clientShare, limits.maxBytes)
  const heldBy = new Map<string, number>()
  let reserved = 0

  function add(client: string, more: number): void {
    const held = (heldBy.get(client) ?? 0) + more
    reserved += more
    if (held === 0) heldBy.delete(client)
    else heldBy.set(client, held)
  }

  function hold(client: string): BodyReservation {
    let held = 0
    return {
      grow: (more) => {
        if (reserved + more > bytes) return 'service_full'
        if ((heldBy.get(client) ?? 0) + more > share) return 'client_full'
        held += more
        add(client, more)
        return 'held'
      },
      release: () => {
        add(client, -held)
        held = 0
      },
    }
  }

  return { limits, hold, thread: createJsonThread() }
}
