import type { Request, Response } from 'express'

/**
 * Watches whether a client leaves its answer: it ends or resets the connection, or reads nothing until
 * a timeout. That this process closes the connection does not count. The returned function, which is
 * called once the answer is closed, tells it.
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
  // A handler that stops its work because its client left breaks its answer off too.
  const closed = (): void => {
    const isTheirs = socket.readableEnded || socket.errored !== null || hasStalled
    hasLeft = response.errored === null && isTheirs
  }
  if (response.closed) closed()
  socket.once('timeout', stalled)
  // Before the handler hears it.
  socket.prependOnceListener('close', closed)
  return () => {
    socket.off('timeout', stalled)
    socket.off('close', closed)
    return hasLeft
  }
}
