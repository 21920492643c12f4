import { once } from 'node:events'
import type { StreamSink } from '@farebox/provider-proxy'
import { maxKeptBytes } from '../paid/ending.ts'
import type { ServedCall } from '../paid/paid-endpoint.ts'

/** A stream to a client that records what was written to it. */
export type RecordingSink = StreamSink & {
  /** All text written so far; null if it is too large to be kept. */
  readonly written: () => string | null
}

/** Writes a stream to a client, each chunk immediately. */
export function responseSink({
  response,
  signal: closed,
}: Pick<ServedCall, 'response' | 'signal'>): RecordingSink {
  let parts: string[] | null = []
  let length = 0
  return {
    write: (text) => {
      length += text.length
      // Log probabilities make streams of hundreds of megabytes.
      if (length > maxKeptBytes) parts = null
      parts?.push(text)
      return response.write(text)
    },
    drained: async () => {
      await once(response, 'drain', { signal: closed })
    },
    closed,
    written: () => parts?.join('') ?? null,
  }
}
