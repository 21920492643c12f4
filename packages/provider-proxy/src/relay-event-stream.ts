import type { ChatChunk, ChatUsage } from '@farebox/api'
import type { Usage } from '@farebox/pricing'
import type { ChatEvent, ChatStream, Timings } from './chat-provider.ts'
import type { Clock } from './clock.ts'
import { cutShort } from './cut-short.ts'
import { createDeliveredCounter, type Delivered, type DeliveredCounter } from './delivered.ts'
import { chunkText, finalChunkText, heartbeatText } from './stream-text.ts'
import { UpstreamError } from './upstream-error.ts'
import { createWatch, type Watch } from './watch.ts'

/** Where a stream goes: the little of an HTTP response that the relay needs. */
export type StreamSink = {
  /** False when the text is kept in memory and `drained` should be awaited. */
  write(text: string): boolean
  drained(): Promise<void>
  /** Fires when the client is gone. */
  readonly closed: AbortSignal
}

export type RelayOptions = {
  readonly clock?: Clock
  /** Silence after which a comment is sent, in milliseconds. */
  readonly heartbeat?: number
  /** How long a client may read nothing while text is waiting for it, in milliseconds. */
  readonly idleWrite?: number
  /** How much text is kept for counting, in UTF-8 bytes. */
  readonly maxKeptBytes?: number
  /** Asked after each chunk: whether what was handed on has used up what was paid. */
  readonly overBudget?: (delivered: Delivered) => boolean
}

/** How a relayed answer ended. Nothing of its end has been written yet. */
export type RelayOutcome = {
  readonly delivered: Delivered
  /** When the first chunk was written, in ms since 1970; null when none was. */
  readonly firstByteAt: number | null
  readonly endedAt: number
  /** The provider's figures; null when it gave none. */
  readonly usage: Usage | null
  readonly timings: Timings
} & (
  | {
      readonly status: 'complete'
      /** `budget`: we stopped the provider, and the finish reason is `length`. */
      readonly stoppedBy: 'provider' | 'budget'
      /** The one event that carries the finish reasons and the usage. */
      finalChunk(usage: ChatUsage | null): string
    }
  | { readonly status: 'truncated'; readonly error: UpstreamError }
  | {
      readonly status: 'client_gone'
      /** `slow`: it took nothing for too long, and its connection is to be closed. */
      readonly reason: 'closed' | 'slow'
    }
)

const defaults = { heartbeat: 10_000, idleWrite: 30_000, maxKeptBytes: 16 * 1024 * 1024 }

/**
 * Writes an answer to a client as it comes, with back-pressure. The finish reason is held: the
 * caller prices the outcome, records it, and only then writes `finalChunk` and the end mark.
 * Never rejects for what a provider or a client does.
 */
export async function relayEventStream(
  stream: ChatStream,
  sink: StreamSink,
  options: RelayOptions = {},
): Promise<RelayOutcome> {
  const relay = begin(stream, sink, options)
  try {
    return outcome(relay, await pump(relay))
  } finally {
    relay.pulse.stop()
    sink.closed.removeEventListener('abort', relay.onClosed)
  }
}

type Relay = {
  readonly stream: ChatStream
  readonly iterator: AsyncIterator<ChatEvent>
  readonly sink: StreamSink
  readonly clock: Clock
  readonly idleWrite: number
  readonly overBudget: ((delivered: Delivered) => boolean) | undefined
  readonly counter: DeliveredCounter
  readonly pulse: Watch
  readonly onClosed: () => void
  firstByteAt: number | null
  blocked: boolean
}

type End =
  | { readonly type: 'finished'; readonly event: FinishedEvent }
  | { readonly type: 'over budget' }
  | { readonly type: 'failed'; readonly error: UpstreamError }
  | { readonly type: 'gone'; readonly reason: 'closed' | 'slow' }

type FinishedEvent = Extract<ChatEvent, { type: 'finished' }>

function begin(stream: ChatStream, sink: StreamSink, options: RelayOptions): Relay {
  const relay: Relay = {
    stream,
    iterator: stream.events[Symbol.asyncIterator](),
    sink,
    clock: options.clock ?? Date.now,
    idleWrite: options.idleWrite ?? defaults.idleWrite,
    overBudget: options.overBudget,
    counter: createDeliveredCounter(options.maxKeptBytes ?? defaults.maxKeptBytes),
    pulse: createWatch(),
    onClosed() {
      if (stream.onClientGone !== 'drain') void relay.iterator.return?.()
    },
    firstByteAt: null,
    blocked: false,
  }
  sink.closed.addEventListener('abort', relay.onClosed, { once: true })
  if (sink.closed.aborted) relay.onClosed()
  relay.pulse.start(options.heartbeat ?? defaults.heartbeat, () => beat(relay))
  return relay
}

function beat({ sink, blocked, pulse }: Relay): void {
  if (!blocked && !sink.closed.aborted) sink.write(heartbeatText)
  pulse.touch()
}

async function pump(relay: Relay): Promise<End> {
  try {
    for (;;) {
      const next = await relay.iterator.next()
      if (next.done === true) return { type: 'gone', reason: 'closed' }
      const event = next.value
      if (event.type === 'finished') return { type: 'finished', event }
      const end = relay.sink.closed.aborted ? undefined : await pass(relay, event.chunk)
      if (end === undefined) continue
      void relay.iterator.return?.()
      return end
    }
  } catch (error) {
    if (error instanceof UpstreamError) return { type: 'failed', error }
    throw error
  }
}

/** Writes one chunk; an end when the client or the budget allows no more. */
async function pass(relay: Relay, chunk: ChatChunk): Promise<End | undefined> {
  const { sink, counter, overBudget } = relay
  const taken = sink.write(chunkText(chunk))
  relay.firstByteAt ??= relay.clock()
  relay.pulse.touch()
  counter.add(chunk)
  if (overBudget?.(counter.delivered) === true) return { type: 'over budget' }
  if (taken || (await drained(relay)) !== 'slow') return undefined
  return { type: 'gone', reason: 'slow' }
}

async function drained(relay: Relay): Promise<'drained' | 'closed' | 'slow'> {
  const { sink } = relay
  const done = new AbortController()
  const patience = createWatch()
  relay.blocked = true
  try {
    return await Promise.race([
      sink.drained().then(
        () => 'drained' as const,
        () => 'closed' as const,
      ),
      new Promise<'closed' | 'slow'>((resolve) => {
        if (sink.closed.aborted) resolve('closed')
        sink.closed.addEventListener('abort', () => resolve('closed'), { signal: done.signal })
        patience.start(relay.idleWrite, () => resolve('slow'))
      }),
    ])
  } finally {
    done.abort()
    patience.stop()
    relay.blocked = false
  }
}

function outcome(relay: Relay, end: End): RelayOutcome {
  const finished = end.type === 'finished' ? end.event : undefined
  const figures = {
    delivered: relay.counter.delivered,
    firstByteAt: relay.firstByteAt,
    endedAt: relay.clock(),
    usage: finished?.usage ?? null,
    timings: finished?.timings ?? {},
  }
  if (end.type === 'gone') return { ...figures, status: 'client_gone', reason: end.reason }
  if (relay.sink.closed.aborted) return { ...figures, status: 'client_gone', reason: 'closed' }
  if (end.type === 'failed') return { ...figures, status: 'truncated', error: end.error }
  const reasons = finished?.finishReasons ?? cutShort(figures.delivered)
  return {
    ...figures,
    status: 'complete',
    stoppedBy: finished === undefined ? 'budget' : 'provider',
    finalChunk: (usage) => finalChunkText(relay.stream, reasons, usage),
  }
}
