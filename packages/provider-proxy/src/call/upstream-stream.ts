import type { ChatChunk } from '@farebox/api'
import { createParser } from 'eventsource-parser'
import type { ChatCall, ChatEvent, ChatStream, Timings } from '../provider/chat-provider.ts'
import { UpstreamError } from '../provider/upstream-error.ts'
import type { Clock } from '../transport/clock.ts'
import type { ChatWire, ChunkFrame, WireEnd, WireReader } from '../wire/chat-wire.ts'
import { clampUsage } from '../wire/clamp-usage.ts'
import { createEventQueue, type EventQueue } from './event-queue.ts'

/** The longest event that is read, in characters. */
const maxEventLength = 1_048_576
/** What may wait for a slow reader, in characters of events. */
const maxWaiting = 262_144

/** What the owner of an answer is told. */
export type AnswerHooks = {
  /** The first event came. */
  opened(stream: ChatStream): void
  /** The first words came, or the first part of a tool call. */
  speaking(): void
  /** Every finish reason is there; only usage may follow. */
  answered(): void
  /** The last event is queued. */
  complete(): void
  failed(error: UpstreamError): void
  /** The reader left before the end. */
  left(): void
  pause(): void
  resume(): void
}

/** An answer as it is read from its bytes. */
export type Answer = {
  feed(bytes: Uint8Array): void
  /** The upstream ended, or is not waited for any longer. */
  end(cause?: Error): void
  /** Fails the reader, once opened. */
  fail(error: UpstreamError): void
}

export type AnswerParts = {
  readonly wire: ChatWire
  readonly clock: Clock
  readonly createId: () => string
}

type State = {
  readonly call: ChatCall
  readonly parts: AnswerParts
  readonly hooks: AnswerHooks
  readonly frame: ChunkFrame
  readonly reader: WireReader
  readonly queue: EventQueue<ChatEvent>
  readonly startedAt: number
  /** When the first and the last words came. */
  firstAt: number | undefined
  lastAt: number
  opened: boolean
  phase: 'reading' | 'answered' | 'over'
}

/** Turns the bytes of an event stream into the events of one answer. */
export function createAnswer(call: ChatCall, parts: AnswerParts, hooks: AnswerHooks): Answer {
  const state = begin(call, parts, hooks)
  let weight = 0
  const emit = (chunk: ChatChunk): void => push(state, { type: 'chunk', chunk }, weight)
  const parser = createParser({
    maxBufferSize: maxEventLength,
    onEvent(message) {
      if (state.phase === 'over') return
      weight = message.data.length
      note(state, state.reader.read({ name: message.event, data: message.data }, emit))
    },
    onError(error) {
      if (error.type === 'max-buffer-size-exceeded') fail(state, truncated(state, error))
    },
  })
  const decoder = new TextDecoder()

  function feedText(text: string): void {
    if (state.phase === 'over' || text === '') return
    try {
      parser.feed(text)
    } catch (error) {
      fail(state, error instanceof UpstreamError ? error : truncated(state, error))
    }
  }

  return {
    feed: (bytes) => feedText(decoder.decode(bytes, { stream: true })),
    end(cause) {
      feedText(decoder.decode())
      finish(state, cause)
    },
    fail: (error) => state.queue.fail(error),
  }
}

function begin(call: ChatCall, parts: AnswerParts, hooks: AnswerHooks): State {
  const startedAt = parts.clock()
  const frame = {
    id: parts.createId(),
    created: Math.floor(startedAt / 1000),
    model: call.model,
  }
  return {
    call,
    parts,
    hooks,
    frame,
    reader: parts.wire.reader(frame, call),
    queue: createEventQueue<ChatEvent>({
      highWater: maxWaiting,
      onFull: () => hooks.pause(),
      onDrained: () => hooks.resume(),
      onLeave: () => hooks.left(),
    }),
    startedAt,
    firstAt: undefined,
    lastAt: startedAt,
    opened: false,
    phase: 'reading',
  }
}

function push(state: State, event: ChatEvent, weight = 0): void {
  state.queue.push(event, weight)
  if (!state.opened) {
    state.opened = true
    const { frame, queue, parts } = state
    state.hooks.opened({ ...frame, events: queue.items, onClientGone: parts.wire.onClientGone })
  }
  if (event.type === 'chunk' && hasWords(event.chunk)) listen(state)
}

function listen(state: State): void {
  state.lastAt = state.parts.clock()
  if (state.firstAt !== undefined) return
  state.firstAt = state.lastAt
  state.hooks.speaking()
}

/** Some providers announce the role at once and think for minutes before they speak. */
function hasWords({ choices }: ChatChunk): boolean {
  return choices.some(({ delta }) => Object.keys(delta).some((key) => key !== 'role'))
}

function note(state: State, progress: ReturnType<WireReader['read']>): void {
  if (progress === 'over') return finish(state)
  if (progress !== 'answered' || state.phase !== 'reading') return
  state.phase = 'answered'
  state.hooks.answered()
}

function finish(state: State, cause?: Error): void {
  if (state.phase === 'over') return
  const end = state.reader.end()
  if (end === null) return fail(state, truncated(state, cause))
  state.phase = 'over'
  push(state, lastEvent(state, end))
  state.queue.end()
  state.hooks.complete()
}

function fail(state: State, error: UpstreamError): void {
  if (state.phase === 'over') return
  state.phase = 'over'
  state.hooks.failed(error)
}

function lastEvent(state: State, { finishReasons, usage, timings }: WireEnd): ChatEvent {
  const served = { from: state.startedAt, to: state.lastAt }
  const { maxTokens, request } = state.call
  const within = usage && clampUsage(usage, { outputTokens: maxTokens * (request.n ?? 1) })
  return {
    type: 'finished',
    finishReasons,
    usage: within && { ...within, served },
    timings: timings ?? ownTimings(state),
    ...(within !== usage && { clamped: true }),
  }
}

/** From the gateway's clock alone, so that no answer mixes two sources. */
function ownTimings({ startedAt, lastAt, firstAt = lastAt }: State): Timings {
  return {
    prompt: firstAt - startedAt,
    completion: lastAt - firstAt,
    total: lastAt - startedAt,
  }
}

function truncated({ parts }: State, cause: unknown): UpstreamError {
  const provider = parts.wire.name
  return new UpstreamError(`${provider} ended its answer before it was complete`, {
    code: 'upstream_truncated',
    provider,
    cause,
  })
}
