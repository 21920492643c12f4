import type { Clock } from '../transport/clock.ts'
import { createDeadline } from '../transport/deadline.ts'

/** The time in which a provider waits for the client. */
export type BackPressure = {
  /** Whether the provider waits now, or did before. */
  readonly state: 'never' | 'now' | 'before'
  /** Fires once the provider has waited for as long as it may, in all. */
  readonly elapsed: AbortSignal
  begin(): void
  end(): void
}

/** `limit` is in milliseconds. */
export function createBackPressure(clock: Clock, limit: number): BackPressure {
  const deadline = createDeadline()
  const elapsed = new AbortController()
  let state: BackPressure['state'] = 'never'
  let since = 0
  let waited = 0
  return {
    elapsed: elapsed.signal,
    get state() {
      return state
    },
    begin() {
      state = 'now'
      since = clock()
      deadline.start(Math.max(limit - waited, 0), () => elapsed.abort())
    },
    end() {
      if (state !== 'now') return
      state = 'before'
      waited += clock() - since
      deadline.stop()
    },
  }
}
