import type { Response } from 'express'

/** Aborts when the client disconnects before its answer is complete. */
export function abortSignalOf(response: Response): AbortSignal {
  const controller = new AbortController()
  if (response.closed) controller.abort()
  response.once('close', () => {
    if (!response.writableFinished) controller.abort()
  })
  return controller.signal
}
