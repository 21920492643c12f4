import type { ChatChunk } from '@farebox/api'
import { createParser } from 'eventsource-parser'
import type { ChatCall, ChatEvent, ChatStream, Timings } from './chat-provider.ts'
import type { ChatWire, ChunkFrame, WireEnd } from './chat-wire.ts'
import type { Clock } from './clock.ts'
import { createEventQueue } from './event-queue.ts'
import { UpstreamError } from './upstream-error.ts'

/** The longest event that is read, in characters. */
const maxEventLength = 1_048_576
const maxWaitingEvents = 64

/** What the owner of an answer is told. */
export type AnswerHooks = {
  /** The first event came. */
  opened(stream: ChatStream): void
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

/** Turns the bytes of an event stream into the events of one answer. */
export function createAnswer(call: ChatCall, parts: AnswerParts, hooks: AnswerHooks): Answer {
  const { wire, clock } = parts
  const started = clock()
  const frame: ChunkFrame = {
    id: parts.createId(),
    created: Math.floor(started / 1000),
    model: call.model,
  }
  const reader = wire.reader(frame, call)
  const decoder = new TextDecoder()
  const queue = createEventQueue<ChatEvent>({
    highWater: maxWaitingEvents,
    onFull: () => hooks.pause(),
    onDrained: () => hooks.resume(),
    onLeave: () => hooks.left(),
  })
  let state: 'reading' | 'answered' | 'over' = 'reading'
  let opened = false
  let firstContent: number | undefined
  let lastContent = started

  function push(event: ChatEvent): void {
    queue.push(event)
    if (opened) return
    opened = true
    hooks.opened({ ...frame, events: queue.items, onClientGone: wire.onClientGone })
  }

  function emit(chunk: ChatChunk): void {
    lastContent = clock()
    firstContent ??= lastContent
    push({ type: 'chunk', chunk })
  }

  function finish(end: WireEnd): void {
    state = 'over'
    const own = ownTimings({ started, first: firstContent ?? lastContent, last: lastContent })
    const usage = end.usage && { ...end.usage, served: { from: started, to: lastContent } }
    const timings = end.timings ?? own
    push({ type: 'finished', finishReasons: end.finishReasons, usage, timings })
    queue.end()
    hooks.complete()
  }

  function fail(error: UpstreamError): void {
    if (state === 'over') return
    state = 'over'
    hooks.failed(error)
  }

  function close(cause?: Error): void {
    if (state === 'over') return
    const end = reader.end()
    if (end === null) fail(truncated(wire.name, cause))
    else finish(end)
  }

  const parser = createParser({
    maxBufferSize: maxEventLength,
    onEvent(message) {
      if (state === 'over') return
      const progress = reader.read({ name: message.event, data: message.data }, emit)
      if (progress === 'over') close()
      else if (progress === 'answered' && state === 'reading') {
        state = 'answered'
        hooks.answered()
      }
    },
    onError(error) {
      if (error.type === 'max-buffer-size-exceeded') fail(truncated(wire.name, error))
    },
  })

  function feedText(text: string): void {
    if (state === 'over' || text === '') return
    try {
      parser.feed(text)
    } catch (error) {
      fail(error instanceof UpstreamError ? error : truncated(wire.name, error))
    }
  }

  return {
    feed: (bytes) => feedText(decoder.decode(bytes, { stream: true })),
    end(cause) {
      feedText(decoder.decode())
      close(cause)
    },
    fail: (error) => queue.fail(error),
  }
}

/** From the gateway's clock, so that no answer mixes two sources. */
function ownTimings(at: { started: number; first: number; last: number }): Timings {
  return {
    prompt: at.first - at.started,
    completion: at.last - at.first,
    total: at.last - at.started,
  }
}

function truncated(provider: string, cause: unknown): UpstreamError {
  return new UpstreamError(`${provider} ended its answer before it was complete`, {
    code: 'upstream_truncated',
    provider,
    cause,
  })
}
