import type { Request, Response } from 'express'

/**
 * Watches whether the client disconnects before the end of its response: it ends or resets the
 * connection, or reads nothing until a timeout. A connection that this process closes does not count.
 * Call the returned function once the response is closed.
 */
export function watchDeparture(
  { socket }: Pick<Request, 'socket'>,
  response: Pick<Response, 'closed' | 'errored'>,
): () => boolean {
  let hasStalled = false
  let hasLeft = false
  const stalled = (): void => {
    hasStalled = true
  }
  // A handler that stops because its client disconnected also destroys its response.
  const closed = (): void => {
    const isTheirs = socket.readableEnded || socket.errored !== null || hasStalled
    hasLeft = response.errored === null && isTheirs
  }
  if (response.closed) closed()
  socket.once('timeout', stalled)
  // Before the handler's own listeners.
  socket.prependOnceListener('close', closed)
  return () => {
    socket.off('timeout', stalled)
    socket.off('close', closed)
    return hasLeft
  }
}
