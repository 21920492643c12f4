import type { Response } from 'express'

/** Aborts when the client disconnects before its answer is complete. */
export function abortSignalOf(response: Response): AbortSignal {
  const controller = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) controller.abort()
  })
  return controller.signal
}
