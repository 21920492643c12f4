import type { ChatChunk, ChatUsage } from '@farebox/api'
import type { Usage } from '@farebox/pricing'
import type { ChatEvent, ChatStream, FinishedEvent, Timings } from '../provider/chat-provider.ts'
import { UpstreamError } from '../provider/upstream-error.ts'
import { shownChunk } from '../reasoning/shown-chunk.ts'
import { createDeadline, type Deadline } from '../transport/deadline.ts'
import { createChatEncoder } from './chat-encoder.ts'
import { createDeliveredCounter, type Delivered, type DeliveredCounter } from './delivered.ts'
import { lengthFinishReasons } from './length-finish-reasons.ts'
import { finalChunk, heartbeatText } from './stream-text.ts'

/** The destination of a stream: the part of an HTTP response that the relay needs. */
export type StreamSink = {
  /** False when the text is buffered and `drained` should be awaited. */
  write(text: string): boolean
  drained(): Promise<void>
  /** Fires when the client disconnects. */
  readonly closed: AbortSignal
}

/** The limits and the format of a stream that is relayed. */
export type RelayOptions = {
  /** Silence after which a comment is sent, in milliseconds. */
  readonly heartbeat?: number
  /** How long a client may leave buffered text unread, in milliseconds. */
  readonly idleWrite?: number
  /** How much text is kept for counting, in UTF-8 bytes. */
  readonly maxKeptBytes?: number
  /** Called after each chunk. Returns whether the response has used up what was paid. */
  readonly overBudget?: (delivered: Delivered) => boolean
  /** The text of a chunk, the last one included; by default that of a chat completion's stream. */
  readonly encode?: (chunk: ChatChunk) => string
}

/** How a relayed response ended. Its last chunk has not been written yet. */
export type RelayOutcome = {
  readonly delivered: Delivered
  /** The provider's counts; null when it sent none. */
  readonly usage: Usage | null
  /** Without `usage`: what the provider had counted when its response ended. */
  readonly usageSoFar: Usage | null
  readonly timings: Timings
} & (
  | {
      readonly status: 'complete'
      /** `budget`: we stopped the provider, and the finish reason is `length`. */
      readonly stoppedBy: 'provider' | 'budget'
      /** The event with the finish reasons and the usage. */
      finalChunk(usage: ChatUsage | null): string
    }
  | { readonly status: 'truncated'; readonly error: UpstreamError }
  | {
      readonly status: 'client_gone'
      /** `slow`: it read too slowly, and its connection should be closed. */
      readonly reason: 'closed' | 'slow'
      /** Set when the provider failed afterwards. */
      readonly error?: UpstreamError
    }
)

/** The most characters that are written at once. */
const maxPendingLength = 16_384
const defaults = { heartbeat: 10_000, idleWrite: 30_000, maxKeptBytes: 16 * 1024 * 1024 }

/**
 * Relays a response to a client as it arrives, with back-pressure. The finish reason is held back:
 * the caller prices the outcome, records it, and only then writes `finalChunk` and the end mark.
 * Nothing that a provider or a client does makes it reject.
 */
export async function relayEventStream(
  stream: ChatStream,
  sink: StreamSink,
  options: RelayOptions = {},
): Promise<RelayOutcome> {
  const relay = begin(stream, sink, options)
  try {
    const end = await pump(relay)
    if (end.type !== 'gone') flush(relay)
    // Text that arrived in the same turn as the end of the response is written only now.
    if (relay.fault !== undefined) throw relay.fault.error
    return outcome(relay, end)
  } finally {
    relay.keepAliveTimer.stop()
    sink.closed.removeEventListener('abort', relay.stopReading)
  }
}

type Relay = {
  readonly stream: ChatStream
  readonly iterator: AsyncIterator<ChatEvent>
  readonly sink: StreamSink
  readonly idleWrite: number
  readonly overBudget: ((delivered: Delivered) => boolean) | undefined
  readonly encode: (chunk: ChatChunk) => string
  readonly counter: DeliveredCounter
  readonly keepAliveTimer: Deadline
  /** The client disconnected, or reads too slowly. */
  readonly stopReading: () => void
  /** The first that a chunk carried; the last chunk repeats it. */
  fingerprint: ChatChunk['system_fingerprint']
  /** Chunks that arrive together are sent in one write. */
  pending: string
  isFlushScheduled: boolean
  /** While the sink is full: resolves when it drains. */
  draining: Promise<void> | undefined
  isTooSlow: boolean
  fault: { readonly error: unknown } | undefined
}

type End =
  | { readonly type: 'finished'; readonly event: FinishedEvent }
  | { readonly type: 'over_budget' }
  | { readonly type: 'failed'; readonly error: UpstreamError }
  | { readonly type: 'gone'; readonly reason: 'closed' | 'slow' }

type DrainOutcome = 'drained' | 'closed' | 'slow'

function begin(stream: ChatStream, sink: StreamSink, options: RelayOptions): Relay {
  const relay: Relay = {
    stream,
    iterator: stream.events[Symbol.asyncIterator](),
    sink,
    idleWrite: options.idleWrite ?? defaults.idleWrite,
    overBudget: options.overBudget,
    encode: options.encode ?? createChatEncoder(),
    counter: createDeliveredCounter(options.maxKeptBytes ?? defaults.maxKeptBytes),
    keepAliveTimer: createDeadline(),
    stopReading() {
      if (stream.onClientGone !== 'drain') void relay.iterator.return?.()
    },
    fingerprint: undefined,
    pending: '',
    isFlushScheduled: false,
    draining: undefined,
    isTooSlow: false,
    fault: undefined,
  }
  sink.closed.addEventListener('abort', relay.stopReading, { once: true })
  if (sink.closed.aborted) relay.stopReading()
  relay.keepAliveTimer.start(options.heartbeat ?? defaults.heartbeat, () => keepAlive(relay))
  return relay
}

function keepAlive(relay: Relay): void {
  if (relay.draining === undefined) write(relay, heartbeatText)
  relay.keepAliveTimer.touch()
}

async function pump(relay: Relay): Promise<End> {
  try {
    for (;;) {
      const next = await relay.iterator.next()
      if (next.done === true) return { type: 'gone', reason: relay.isTooSlow ? 'slow' : 'closed' }
      const event = next.value
      if (event.type === 'finished') return { type: 'finished', event }
      if (relay.draining !== undefined) await relay.draining
      const end = sendChunk(relay, event.chunk)
      if (end === undefined) continue
      void relay.iterator.return?.()
      return end
    }
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    if (error.code !== 'aborted') return { type: 'failed', error }
    return { type: 'gone', reason: relay.sink.closed.aborted ? 'closed' : 'slow' }
  }
}

/** Counts and sends one chunk; returns an end once the budget is used up. */
function sendChunk(relay: Relay, chunk: ChatChunk): End | undefined {
  const { counter, overBudget, sink } = relay
  counter.add(chunk)
  relay.fingerprint ??= chunk.system_fingerprint
  const shown = shownChunk(relay.stream, chunk)
  if (shown !== undefined && !sink.closed.aborted && !relay.isTooSlow) send(relay, shown)
  if (relay.fault !== undefined) throw relay.fault.error
  return overBudget?.(counter.delivered) === true ? { type: 'over_budget' } : undefined
}

function send(relay: Relay, chunk: ChatChunk): void {
  relay.pending += relay.encode(chunk)
  if (relay.pending.length >= maxPendingLength) flush(relay)
  else schedule(relay)
}

/** After the events that have arrived already, and before any other pending task. */
function schedule(relay: Relay): void {
  if (relay.isFlushScheduled) return
  relay.isFlushScheduled = true
  process.nextTick(flush, relay)
}

function flush(relay: Relay): void {
  const { pending } = relay
  relay.isFlushScheduled = false
  relay.pending = ''
  if (pending === '') return
  write(relay, pending)
}

/** The drain listener is attached at once: the sink may drain before the next event comes. */
function write(relay: Relay, text: string): void {
  if (relay.sink.closed.aborted || relay.isTooSlow) return
  try {
    if (!relay.sink.write(text)) relay.draining ??= waitForDrain(relay)
    relay.keepAliveTimer.touch()
  } catch (error) {
    relay.fault = { error }
  }
}

/** Ends the response when the client reads nothing for `idleWrite`, or too slowly overall. */
async function waitForDrain(relay: Relay): Promise<void> {
  const how = await drainOutcome(relay)
  relay.draining = undefined
  if (how !== 'slow') return
  relay.isTooSlow = true
  relay.stopReading()
}

async function drainOutcome({ sink, stream, idleWrite }: Relay): Promise<DrainOutcome> {
  const done = new AbortController()
  const deadline = createDeadline()
  try {
    return await Promise.race([
      sink.drained().then(
        () => 'drained' as const,
        () => 'closed' as const,
      ),
      new Promise<DrainOutcome>((resolve) => {
        if (sink.closed.aborted) resolve('closed')
        sink.closed.addEventListener('abort', () => resolve('closed'), { signal: done.signal })
        const tooSlow = (): void => resolve('slow')
        if (stream.readerTooSlow?.aborted === true) tooSlow()
        stream.readerTooSlow?.addEventListener('abort', tooSlow, { signal: done.signal })
        deadline.start(idleWrite, tooSlow)
      }),
    ])
  } finally {
    done.abort()
    deadline.stop()
  }
}

function outcome(relay: Relay, end: End): RelayOutcome {
  const finished = end.type === 'finished' ? end.event : undefined
  const figures = {
    delivered: relay.counter.delivered,
    usage: finished?.usage ?? null,
    usageSoFar: relay.stream.usageSoFar?.() ?? null,
    timings: finished?.timings ?? {},
  }
  if (end.type === 'gone') return { ...figures, status: 'client_gone', reason: end.reason }
  const { closed } = relay.sink
  if (closed.aborted || relay.isTooSlow) {
    const failure = end.type === 'failed' && { error: end.error }
    const reason = closed.aborted ? 'closed' : 'slow'
    return { ...figures, status: 'client_gone', reason, ...failure }
  }
  if (end.type === 'failed') return { ...figures, status: 'truncated', error: end.error }
  const reasons = finished?.finishReasons ?? lengthFinishReasons(figures.delivered)
  const frame = { ...relay.stream, system_fingerprint: relay.fingerprint }
  return {
    ...figures,
    status: 'complete',
    stoppedBy: finished === undefined ? 'budget' : 'provider',
    finalChunk: (usage) => relay.encode(finalChunk(frame, reasons, usage)),
  }
}
