import { createRandom, type Random } from './random.ts'

/**
 * One clock and one queue of scheduled callbacks: nothing else happens, so a seed determines the
 * whole run.
 */
export type World = {
  readonly random: Random
  /** Milliseconds since 1970. */
  now(): number
  /** Calls back after so many milliseconds, unless the returned function is called before. */
  after(milliseconds: number, callback: () => void): () => void
  /** Resolves after so many milliseconds. */
  pause(milliseconds: number): Promise<void>
  /** Runs the next callback and what follows from it at once; false when nothing is scheduled. */
  step(): Promise<boolean>
  /** How many callbacks have run. */
  steps(): number
}

type Scheduled = { readonly time: number; readonly order: number; readonly callback: () => void }

const startOfTime = 1_700_000_000_000

export function createWorld(seed: number): World {
  const random = createRandom(seed)
  const queue = createQueue()
  let time = startOfTime
  let order = 0
  let steps = 0
  const after = (milliseconds: number, callback: () => void): (() => void) => {
    order += 1
    const scheduled = { time: time + Math.max(0, Math.ceil(milliseconds)), order, callback }
    queue.push(scheduled)
    return () => queue.cancel(scheduled)
  }
  return {
    random,
    now: () => time,
    after,
    pause: (milliseconds) => new Promise((resolve) => after(milliseconds, resolve)),
    async step() {
      const next = queue.pop()
      if (next === undefined) return false
      time = next.time
      steps += 1
      next.callback()
      await quiet()
      return true
    },
    steps: () => steps,
  }
}

/** Resolves once the code under test waits for the world alone. */
function quiet(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

/** A binary heap by time, then by order. */
function createQueue() {
  const heap: Scheduled[] = []
  const canceled = new Set<Scheduled>()
  const isBefore = (a: number, b: number): boolean => {
    const [first, second] = [heap[a], heap[b]]
    if (first === undefined || second === undefined) return false
    return first.time !== second.time ? first.time < second.time : first.order < second.order
  }
  const swap = (a: number, b: number): void => {
    const [first, second] = [heap[a], heap[b]]
    if (first === undefined || second === undefined) return
    heap[a] = second
    heap[b] = first
  }
  const rise = (from: number): void => {
    let at = from
    while (at > 0 && isBefore(at, (at - 1) >> 1)) {
      swap(at, (at - 1) >> 1)
      at = (at - 1) >> 1
    }
  }
  const sink = (): void => {
    let at = 0
    for (;;) {
      const [left, right] = [2 * at + 1, 2 * at + 2]
      let least = at
      if (isBefore(left, least)) least = left
      if (isBefore(right, least)) least = right
      if (least === at) return
      swap(at, least)
      at = least
    }
  }
  const popAny = (): Scheduled | undefined => {
    swap(0, heap.length - 1)
    const first = heap.pop()
    sink()
    return first
  }
  return {
    push(scheduled: Scheduled): void {
      heap.push(scheduled)
      rise(heap.length - 1)
    },
    cancel: (scheduled: Scheduled) => void canceled.add(scheduled),
    pop(): Scheduled | undefined {
      for (let next = popAny(); next !== undefined; next = popAny()) {
        if (!canceled.delete(next)) return next
      }
      return undefined
    },
  }
}
