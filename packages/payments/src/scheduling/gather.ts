import type { Timers } from './timers.ts'

export type GatherOptions<Item> = {
  readonly timers: Timers
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Groups leave this much later after one another, for each item of the group before. */
  readonly pausePerItemMs: number
  /** And no later than this. */
  readonly longestPauseMs: number
  /** How many items a group may have now. */
  readonly most: () => number
  /** How many groups may be under way. */
  readonly mostUnderWay: number
  /** Never rejects. The group is under way until it resolves. */
  readonly run: (items: readonly Item[]) => Promise<void>
}

/**
 * Groups items that arrive together. An item that finds nothing under way leaves at once, with those
 * of the same turn of the event loop. Under load, items wait until the pause after the last group is
 * over, and then leave together. The pauses grow with the groups under way, from a twelfth of
 * `mostUnderWay`: groups become larger long before one has to wait for another to end.
 */
export function createGather<Item>(options: GatherOptions<Item>): (item: Item) => void {
  const { timers, clock, most, mostUnderWay, run } = options
  let waiting: Item[] = []
  let cancelNext: (() => void) | null = null
  let underWay = 0
  const last = { at: 0, size: 0 }

  function arm(): void {
    cancelNext?.()
    const isQuiet = underWay === 0 && last.size <= 1
    const pause = isQuiet ? 0 : pauseAfter(last.size)
    // A clock that was set back does not prolong the pause.
    const wait = Math.min(pause, Math.max(0, last.at + pause - clock()))
    cancelNext = timers.after(wait, leave)
  }

  function pauseAfter(size: number): number {
    const { pausePerItemMs, longestPauseMs } = options
    const load = (12 * underWay) / mostUnderWay
    return load > 1 ? longestPauseMs * load : Math.min(longestPauseMs, pausePerItemMs * size)
  }

  function leave(): void {
    cancelNext = null
    const size = Math.max(1, most())
    const room = size * (mostUnderWay - underWay)
    const items = waiting.slice(0, room)
    waiting = waiting.slice(room)
    if (items.length === 0) return
    last.at = clock()
    last.size = items.length
    for (let at = 0; at < items.length; at += size) {
      underWay += 1
      void run(items.slice(at, at + size)).then(arrive)
    }
  }

  function arrive(): void {
    underWay -= 1
    if (waiting.length > 0) arm()
  }

  return function add(item) {
    waiting.push(item)
    if (cancelNext === null) arm()
  }
}
