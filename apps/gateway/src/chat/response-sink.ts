import { once } from 'node:events'
import type { StreamSink } from '@farebox/provider-proxy'
import type { Response } from 'express'

/** A response that remembers what was written to it, as long as that is worth keeping. */
export type RecordingSink = StreamSink & {
  /** All text so far. */
  readonly written: () => string
}

/** Writes a stream to a client, each piece at once. */
export function responseSink(response: Response, closed: AbortSignal): RecordingSink {
  const parts: string[] = []
  return {
    write: (text) => {
      parts.push(text)
      return response.write(text)
    },
    drained: async () => {
      await once(response, 'drain', { signal: closed })
    },
    closed,
    written: () => parts.join(''),
  }
}
