/** Timers, injected so that a simulation controls the time. */
export type Timers = {
  /** Calls back once after this many milliseconds, unless the returned function is called first. */
  after(milliseconds: number, callback: () => void): () => void
}

/** The machine's own timers, which do not keep a process alive; 0 is this turn of the event loop. */
export const systemTimers: Timers = {
  after(milliseconds, callback) {
    if (milliseconds === 0) {
      const immediate = setImmediate(callback)
      return () => {
        clearImmediate(immediate)
      }
    }
    const timer = setTimeout(callback, milliseconds)
    timer.unref()
    return () => {
      clearTimeout(timer)
    }
  },
}

/** Waits this many milliseconds, or until the signal aborts. */
export function pause(timers: Timers, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve()
      return
    }
    const finish = (): void => {
      cancel()
      signal?.removeEventListener('abort', finish)
      resolve()
    }
    const cancel = timers.after(milliseconds, finish)
    signal?.addEventListener('abort', finish)
  })
}
