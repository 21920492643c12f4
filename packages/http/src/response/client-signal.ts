import type { Response } from 'express'

/** Aborts when the client disconnects before its response is complete. */
export function clientSignal(response: Response): AbortSignal {
  const disconnected = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) disconnected.abort()
  })
  return disconnected.signal
}
