import type { Timers } from './timers.ts'

export type GatherOptions<Item> = {
  readonly timers: Timers
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Groups leave this much later after one another, for each item of the group before. */
  readonly pausePerItemMs: number
  /** The longest pause between groups. */
  readonly maxPauseMs: number
  /** How many items a group may have now. */
  readonly maxGroupSize: () => number
  /** How many groups may be in progress. */
  readonly maxGroupsInProgress: number
  /** Never rejects. The group is in progress until it resolves. */
  readonly run: (items: readonly Item[]) => Promise<void>
}

/**
 * Groups items that arrive together. An item that finds nothing in progress leaves at once, with those
 * of the same turn of the event loop. Under load, items wait until the pause after the last group is
 * over, and then leave together. The pauses grow with the groups in progress, from a twelfth of
 * `maxGroupsInProgress`: groups become larger long before one has to wait for another to end.
 */
export function createGather<Item>(options: GatherOptions<Item>): (item: Item) => void {
  const { timers, clock, maxGroupSize, maxGroupsInProgress, run } = options
  let waiting: Item[] = []
  let cancelNext: (() => void) | null = null
  let inProgress = 0
  const last = { at: 0, size: 0 }

  function arm(): void {
    cancelNext?.()
    const isQuiet = inProgress === 0 && last.size <= 1
    const pause = isQuiet ? 0 : pauseAfter(last.size)
    // A clock that was set back does not prolong the pause.
    const wait = Math.min(pause, Math.max(0, last.at + pause - clock()))
    cancelNext = timers.after(wait, leave)
  }

  function pauseAfter(size: number): number {
    const { pausePerItemMs, maxPauseMs } = options
    const load = (12 * inProgress) / maxGroupsInProgress
    return load > 1 ? maxPauseMs * load : Math.min(maxPauseMs, pausePerItemMs * size)
  }

  function leave(): void {
    cancelNext = null
    const size = Math.max(1, maxGroupSize())
    const room = size * (maxGroupsInProgress - inProgress)
    const items = waiting.slice(0, room)
    waiting = waiting.slice(room)
    if (items.length === 0) return
    last.at = clock()
    last.size = items.length
    for (let at = 0; at < items.length; at += size) {
      inProgress += 1
      void run(items.slice(at, at + size)).then(arrive)
    }
  }

  function arrive(): void {
    inProgress -= 1
    if (waiting.length > 0) arm()
  }

  return function add(item) {
    waiting.push(item)
    if (cancelNext === null) arm()
  }
}
