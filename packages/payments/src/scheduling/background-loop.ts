import type { Timers } from './timers.ts'

export type Loop = {
  start(): void
  /** Starts no further round and waits for the current one. */
  stop(): Promise<void>
}

/** Repeats work, each round some time after the previous one ended, even if it failed. */
export function createLoop(options: {
  readonly timers: Timers
  readonly everyMs: number | (() => number)
  readonly work: () => Promise<unknown>
  readonly onFault: (error: unknown) => void
}): Loop {
  const { timers, everyMs, work, onFault } = options
  let running = false
  let cancelNext: (() => void) | null = null
  let current: Promise<void> = Promise.resolve()

  async function round(): Promise<void> {
    cancelNext = null
    try {
      await work()
    } catch (error) {
      onFault(error)
    }
    const waitMs = typeof everyMs === 'number' ? everyMs : everyMs()
    if (running) cancelNext = timers.after(waitMs, next)
  }

  function next(): void {
    current = round()
  }

  return {
    start() {
      if (running) return
      running = true
      next()
    },
    async stop() {
      running = false
      cancelNext?.()
      await current
    },
  }
}
