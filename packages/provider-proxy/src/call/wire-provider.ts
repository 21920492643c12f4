import { randomUUID } from 'node:crypto'
import type { Dispatcher } from 'undici'
import type { ChatProvider } from '../provider/chat-provider.ts'
import type { Clock } from '../transport/clock.ts'
import { defaultRetryPolicy, type RetryPolicy } from '../transport/retry-policy.ts'
import { defaultTimeouts, type Timeouts } from '../transport/timeouts.ts'
import { createTransport } from '../transport/upstream-transport.ts'
import type { ChatWire } from '../wire/chat-wire.ts'
import { openChatStream } from './open-chat-stream.ts'

/** What every provider of chat models can be given. */
export type ConnectionOptions = {
  /** Shared with others; then it is not closed by `close`. */
  readonly dispatcher?: Dispatcher
  readonly timeouts?: Partial<Timeouts>
  readonly retry?: Partial<RetryPolicy>
  readonly clock?: Clock
  /** In [0, 1); spreads retries. */
  readonly random?: () => number
  readonly createId?: () => string
}

/** A provider that owns connections. */
export type ConnectedChatProvider = ChatProvider & {
  /** Ends its connections, and with them the answers that are under way. */
  close(): Promise<void>
}

/** A provider that is spoken to over one wire. */
export function wireProvider(
  wire: ChatWire,
  baseUrl: string,
  options: ConnectionOptions,
): ConnectedChatProvider {
  const timeouts = { ...defaultTimeouts, ...options.timeouts }
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
    open: (call) => openChatStream(call, parts),
    close: () => transport.close(),
  }
}

/** Ours, since the ids of some servers are not unique. */
function completionId(): string {
  return `chatcmpl-${randomUUID().replaceAll('-', '')}`
}
