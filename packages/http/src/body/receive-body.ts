import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream'
import type { BodyLimits } from './body-limits.ts'

export type Receiver<Stop> = {
  /** Returns a reason to stop, if there is one. */
  onChunk(chunk: Uint8Array): Stop | undefined
  /** Called once, with a function that stops. */
  onBegin(stop: (reason: Stop) => void): void
}

/**
 * Gives each chunk of a body to `onChunk`, until the body ends, there is a reason to stop, or the
 * body is too slow. Rejects if the client disconnects. The rest is not read.
 */
export function receiveBody<Stop>(
  request: IncomingMessage,
  limits: BodyLimits,
  { onChunk, onBegin }: Receiver<Stop>,
): Promise<Stop | 'complete' | 'too_slow'> {
  return new Promise((resolve, reject) => {
    const rate = watchRate(limits, () => {
      end(() => resolve('too_slow'))
    })
    const removeEnd = finished(request, { writable: false }, (error) => {
      end(() => (error ? reject(error) : resolve('complete')))
    })
    function take(chunk: Uint8Array): void {
      rate.arrived(chunk.length)
      const stop = onChunk(chunk)
      if (stop !== undefined) end(() => resolve(stop))
    }
    function end(settle: () => void): void {
      rate.stop()
      removeEnd()
      request.off('data', take)
      settle()
    }
    onBegin((reason) => end(() => resolve(reason)))
    request.on('data', take)
  })
}

/** Calls `onSlow` after a window in which too little arrived, or when all the time is used up. */
function watchRate(
  { windowMs, minBytesPerWindow, totalMs }: BodyLimits,
  onSlow: () => void,
): { arrived(bytes: number): void; stop(): void } {
  let bytes = 0
  const deadline = setTimeout(onSlow, totalMs)
  const windows = setInterval(() => {
    if (bytes < minBytesPerWindow) onSlow()
    bytes = 0
  }, windowMs)
  return {
    arrived: (more) => {
      bytes += more
    },
    stop: () => {
      clearTimeout(deadline)
      clearInterval(windows)
    },
  }
}
