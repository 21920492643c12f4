import type { Config } from '../settings.ts'

/** What a paid request spends its time on, in this order. `upstream` ends with the provider's first byte. */
export type TimedPhase = 'quote' | 'admit' | 'settle' | 'begin' | 'upstream'

/** Measures the phases of one request. */
export type ServerTiming = {
  /** Ends a phase, which began where the one before it ended; `at` is in ms since 1970, by default now. */
  end(phase: TimedPhase, at?: number): void
  /** `Server-Timing` with the durations in milliseconds; no header where nothing is measured. */
  headers(): Readonly<Record<string, string>>
}

/** Starts to measure one request. */
export type StartServerTiming = () => ServerTiming

/** On the devnet, paid responses say how long each phase took. `now` is in ms since 1970. */
export function serverTimingOn(
  network: Config['NETWORK'],
  now: () => number = preciseNow,
): StartServerTiming {
  return network === 'devnet' ? () => startServerTiming(now) : () => nothing
}

function startServerTiming(now: () => number): ServerTiming {
  let since = now()
  const parts: string[] = []
  return {
    end(phase, at = now()) {
      // A payment that is resumed was claimed before this request began.
      const until = Math.max(at, since)
      parts.push(`${phase};dur=${(until - since).toFixed(1)}`)
      since = until
    },
    headers: () => ({ 'Server-Timing': parts.join(', ') }),
  }
}

function preciseNow(): number {
  return performance.timeOrigin + performance.now()
}

const nothing: ServerTiming = { end: () => undefined, headers: () => ({}) }
