import { randomUUID } from 'node:crypto'
import type { Dispatcher } from 'undici'
import type { ChatProvider } from '../provider/chat-provider.ts'
import type { Clock } from '../transport/clock.ts'
import { defaultRetryPolicy, type RetryPolicy } from '../transport/retry-policy.ts'
import { readTimeouts, type Timeouts } from '../transport/timeouts.ts'
import { createTransport } from '../transport/upstream-transport.ts'
import type { ChatWire } from '../wire/chat-wire.ts'
import { openChatStream } from './open-chat-stream.ts'
import { type RequestHeaders, signedCall, type UnsignedRequest } from './signed-call.ts'

/** The options of every provider of chat models. */
export type ConnectionOptions = {
  /** A shared dispatcher; `close` does not close it. */
  readonly dispatcher?: Dispatcher
  readonly timeouts?: Partial<Timeouts>
  readonly retry?: Partial<RetryPolicy>
  readonly clock?: Clock
  /**
   * Headers that are added to each call, such as a token that expires or a signature. If it
   * rejects, or takes longer than the first token may, the call fails before anything is sent.
   */
  readonly headers?: (request: UnsignedRequest) => Promise<RequestHeaders>
  /** In [0, 1); spreads retries. */
  readonly random?: () => number
  readonly createId?: () => string
}

/** A provider that owns connections. */
export type ConnectedChatProvider = ChatProvider & {
  /** Closes its connections, and with them the responses in progress. */
  close(): Promise<void>
}

/** A provider that speaks one wire format. */
export function wireProvider(
  wire: ChatWire,
  baseUrl: string,
  options: ConnectionOptions,
): ConnectedChatProvider {
  const timeouts = readTimeouts(options.timeouts)
  const transport = createTransport({
    baseUrl,
    connectTimeout: timeouts.connect,
    ...(options.dispatcher !== undefined && { dispatcher: options.dispatcher }),
  })
  const parts = {
    wire,
    transport,
    timeouts,
    retry: { ...defaultRetryPolicy, ...options.retry },
    clock: options.clock ?? Date.now,
    random: options.random ?? Math.random,
    createId: options.createId ?? completionId,
  }
  return {
    name: wire.name,
    reasoning: wire.reasoning,
    open: async (call) => {
      const { headers } = options
      const own =
        headers === undefined
          ? { call, wire }
          : await signedCall(call, { ...parts, baseUrl, headers })
      const stream = await openChatStream(own.call, { ...parts, wire: own.wire })
      const isExcluded = call.request.reasoning?.exclude === true
      return isExcluded ? { ...stream, reasoning: 'excluded' } : stream
    },
    close: () => transport.close(),
  }
}

/** The ids of some servers are not unique, so the gateway creates its own. */
function completionId(): string {
  return `chatcmpl-${randomUUID().replaceAll('-', '')}`
}
