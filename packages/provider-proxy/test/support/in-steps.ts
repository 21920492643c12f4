import { expect, vi } from 'vitest'

/** For `vi.useFakeTimers`: the timers of Node's own modules stay real. */
export const steppedTimers: Parameters<typeof vi.useFakeTimers>[0] = {
  toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
}

/** Needs fake timers. Time passes in steps of 20 ms, and each waits for a busy machine. */
export async function inSteps<Result>(work: Promise<Result>): Promise<Result> {
  const state = { isOver: false }
  const watched = work.finally(() => {
    state.isOver = true
  })
  watched.catch(() => undefined)
  await vi.waitFor(() => expect(state.isOver).toBe(true), { interval: 20, timeout: 60_000 })
  return await watched
}

/** Until what one end of a connection has sent has arrived at the other, however busy the machine is. */
export async function arrival(): Promise<void> {
  // Sockets are read between two timers, so one long timer would prove less.
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setTimeout(resolve, 5))
}
