import type { Response } from 'express'

/** Aborts when the client disconnects before its response is complete, or with `disconnected`. */
export function clientSignal(
  response: Response,
  disconnected: AbortController = new AbortController(),
): AbortSignal {
  if (response.closed) disconnected.abort()
  response.once('close', () => {
    if (!response.writableFinished) disconnected.abort()
  })
  return disconnected.signal
}
