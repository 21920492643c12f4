import { once } from 'node:events'
import type { StreamSink } from '@farebox/provider-proxy'
import type { ServedCall } from '../paid/paid-endpoint.ts'

/** A stream to a client that records what was written to it. */
export type RecordingSink = StreamSink & {
  /** All text written so far. */
  readonly written: () => string
}

/** Writes a stream to a client, each chunk immediately. */
export function responseSink({ response, signal: closed }: ServedCall): RecordingSink {
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
