import type { Hex } from '@farebox/ledger'
import { pause, type Timers } from '../scheduling/timers.ts'

/**
 * Corrects the calls of one channel one after the other. Parallel calls of a client that does not
 * count its calls in flight all sign the same voucher; corrected together, they would all sign the same
 * next one.
 */
export type Turnstile = {
  /** Runs the work after that of the calls before it, or at once if too many are waiting. */
  queue<Result>(channelId: Hex, work: (isCrowded: boolean) => Promise<Result>): Promise<Result>
  /** Waits until a call of the channel is held here, for at most this many milliseconds. */
  arrival(channelId: Hex, milliseconds: number): Promise<void>
  /** How many calls of the channel are waiting here. */
  waiting(channelId: Hex): number
  /** How many channels have calls that are waiting here. */
  channels(): number
  /** A call of the channel was held. */
  arrived(channelId: Hex): void
}

export type TurnstileOptions = { readonly timers: Timers; readonly maxWaiting: number }

type Line = {
  last: Promise<unknown>
  waiting: number
  /** Ends the wait for an arrival. */
  wake: AbortController
}

export function createTurnstile({ timers, maxWaiting }: TurnstileOptions): Turnstile {
  const lines = new Map<Hex, Line>()

  function lineOf(channelId: Hex): Line {
    const line = lines.get(channelId) ?? {
      last: Promise.resolve(),
      waiting: 0,
      wake: new AbortController(),
    }
    lines.set(channelId, line)
    return line
  }

  return {
    async queue(channelId, work) {
      const line = lineOf(channelId)
      if (line.waiting >= maxWaiting) return await work(true)
      line.waiting += 1
      const run = line.last.then(() => work(false))
      line.last = run.catch(() => undefined)
      try {
        return await run
      } finally {
        line.waiting -= 1
        if (line.waiting === 0) lines.delete(channelId)
      }
    },
    async arrival(channelId, milliseconds) {
      await pause(timers, milliseconds, lines.get(channelId)?.wake.signal)
    },
    waiting: (channelId) => lines.get(channelId)?.waiting ?? 0,
    channels: () => lines.size,
    arrived(channelId) {
      const line = lines.get(channelId)
      if (line === undefined) return
      line.wake.abort()
      line.wake = new AbortController()
    },
  }
}
