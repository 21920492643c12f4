import type { Response } from 'express'

/** The paid requests that are being worked on, so that a stop can wait for them. */
export type OpenRequests = {
  /** `undefined` once the gateway is stopping: nothing new is taken. */
  enter(response: Response): OpenRequest | undefined
  /** Takes no more, and resolves when all have left. */
  drain(): Promise<void>
  /** Aborts those that are left. */
  abort(): void
}

export type OpenRequest = {
  /** Fires when the client is gone, or with `giveUp`. */
  readonly signal: AbortSignal
  /** Fires when the gateway has to stop at once. */
  readonly giveUp: AbortSignal
  leave(): void
}

/** Keeps count of open requests. */
export function createOpenRequests(): OpenRequests {
  const open = new Set<AbortController>()
  const giveUp = new AbortController()
  let drained: (() => void) | undefined
  let state: 'open' | 'draining' = 'open'

  function leave(controller: AbortController): void {
    open.delete(controller)
    if (open.size === 0) drained?.()
  }

  return {
    enter: (response) => {
      if (state === 'draining') return undefined
      const gone = new AbortController()
      open.add(gone)
      response.once('close', () => {
        if (!response.writableFinished) gone.abort()
      })
      return {
        signal: AbortSignal.any([gone.signal, giveUp.signal]),
        giveUp: giveUp.signal,
        leave: () => leave(gone),
      }
    },
    drain: async () => {
      state = 'draining'
      if (open.size > 0) await new Promise<void>((resolve) => (drained = resolve))
    },
    abort: () => {
      giveUp.abort()
    },
  }
}
