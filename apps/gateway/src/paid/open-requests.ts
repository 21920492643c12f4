import { clientSignal } from '@farebox/http'
import type { Response } from 'express'

/** The paid requests in progress, so that a shutdown can wait for them. */
export type OpenRequests = {
  /** `undefined` once the gateway is draining: no new request is accepted. */
  enter(response: Response): OpenRequest | undefined
  /** Accepts no new request, and resolves when all have left and their responses are sent. */
  drain(): Promise<void>
  /** Aborts the requests that are left, and waits for no response any more. */
  abort(): void
}

export type OpenRequest = {
  /** Aborts when the client disconnects, or with `giveUp`. */
  readonly signal: AbortSignal
  /** Aborts when the gateway has to stop at once. */
  readonly giveUp: AbortSignal
  /** Resolves when it has left, which may be after its client. */
  readonly ended: Promise<unknown>
  leave(): void
}

/** Keeps track of the open requests. */
export function createOpenRequests(): OpenRequests {
  /** What aborts each of them. */
  const open = new Map<Response, AbortController>()
  /** The responses of those that have left which their clients have not read yet. */
  const unread = new Set<Response>()
  const giveUp = new AbortController()
  let drained: (() => void) | undefined
  let state: 'open' | 'draining' = 'open'

  const isEmpty = (): boolean => open.size + unread.size === 0

  function leave(response: Response): void {
    open.delete(response)
    if (!response.closed && !giveUp.signal.aborted) {
      unread.add(response)
      response.once('close', () => {
        unread.delete(response)
        if (isEmpty()) drained?.()
      })
    }
    if (isEmpty()) drained?.()
  }

  return {
    enter: (response) => {
      if (state === 'draining') return undefined
      // AbortSignal.any would keep a weak reference to each request in the signal that they share.
      const controller = new AbortController()
      open.set(response, controller)
      if (giveUp.signal.aborted) controller.abort()
      const { promise: ended, resolve: end } = Promise.withResolvers<undefined>()
      return {
        signal: clientSignal(response, controller),
        giveUp: giveUp.signal,
        ended,
        leave: () => {
          leave(response)
          end(undefined)
        },
      }
    },
    drain: async () => {
      state = 'draining'
      if (!isEmpty()) await new Promise<void>((resolve) => (drained = resolve))
    },
    abort: () => {
      giveUp.abort()
      for (const controller of open.values()) controller.abort()
      unread.clear()
      if (isEmpty()) drained?.()
    },
  }
}
