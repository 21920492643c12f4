/** One deadline that can be moved. */
export type Deadline = {
  /** Replaces the deadline. */
  start(milliseconds: number, onElapsed: () => void): void
  /** Counts from now again. */
  touch(): void
  /** Stops counting until the next `touch`. */
  hold(): void
  stop(): void
}

export function createDeadline(): Deadline {
  let timer: NodeJS.Timeout | undefined
  let deadline: { readonly milliseconds: number; readonly onElapsed: () => void } | undefined

  function arm(): void {
    clearTimeout(timer)
    timer = deadline && setTimeout(deadline.onElapsed, deadline.milliseconds)
  }

  return {
    start(milliseconds, onElapsed) {
      deadline = { milliseconds, onElapsed }
      arm()
    },
    touch() {
      if (timer === undefined) arm()
      else timer.refresh()
    },
    hold() {
      clearTimeout(timer)
      timer = undefined
    },
    stop() {
      deadline = undefined
      clearTimeout(timer)
      timer = undefined
    },
  }
}
