import type { ChatChunk } from '@farebox/api'
import type { Usage } from '@farebox/pricing'
import { createParser } from 'eventsource-parser'
import type { ChatCall, FinishedEvent, Timings } from '../provider/chat-provider.ts'
import { unusableCall } from '../provider/unusable-call.ts'
import { UpstreamError } from '../provider/upstream-error.ts'
import type { Clock } from '../transport/clock.ts'
import type { ChatWire, ChunkFrame, WireEnd, WireReader } from '../wire/chat-wire.ts'
import { clampUsage } from '../wire/clamp-usage.ts'
import type { AttemptEvent } from './attempt.ts'
import type { ResponseBody } from './response-body.ts'

/** The longest event that is read, in characters: some hold a complete picture. */
export const maxEventLength: number = 16 * 1_048_576

/**
 * The most that is read without a token, in characters: room for one event, and as much again for comments and
 * events that say nothing. Reading them takes processor time for as long as a provider sends them.
 */
const maxSilence = 2 * maxEventLength

export type EventStreamOptions = {
  readonly call: ChatCall
  readonly frame: ChunkFrame
  readonly wire: ChatWire
  readonly clock: Clock
}

/** An event stream that reports what its provider has counted so far. */
export type EventStreamBody = ResponseBody & { usageSoFar(): Usage | null }

type Reading = EventStreamOptions & {
  readonly reader: WireReader
  readonly startedAt: number
  /** When the first and the last token arrived, in milliseconds. */
  firstTokenAt: number | undefined
  lastTokenAt: number
  /** Characters since the last token. */
  silence: number
  /** Events that were read and not yet passed on. */
  events: AttemptEvent[]
  isOver: boolean
}

/** Reads the bytes of an event stream. After the completion or a failure, it yields nothing more. */
export function createEventStreamBody(options: EventStreamOptions): EventStreamBody {
  const reading = begin(options)
  const decoder = new TextDecoder()
  let weight = 0
  const emit = (chunk: ChatChunk): void => addChunk(reading, chunk, weight)
  const parser = createParser({
    maxBufferSize: maxEventLength,
    onEvent({ event: name, data }) {
      if (reading.isOver) return
      weight = data.length
      const progress = reading.reader.read({ name, data }, emit)
      if (progress === 'tail') reading.events.push({ type: 'finish_reasons_known' })
      else if (progress === 'done') finish(reading)
    },
    onError(error) {
      if (error.type === 'max-buffer-size-exceeded') fail(reading, truncated(reading, error))
    },
  })

  function read(text: string): void {
    if (reading.isOver || text === '') return
    reading.silence += text.length
    try {
      parser.feed(text)
    } catch (error) {
      fail(reading, failureOf(reading, error))
    }
    if (reading.silence > maxSilence) fail(reading, truncated(reading))
  }

  return {
    usageSoFar: () => possibleUsage(reading, reading.reader.usageSoFar()),
    read(bytes) {
      read(decoder.decode(bytes, { stream: true }))
      return taken(reading)
    },
    end(cause) {
      read(decoder.decode())
      finish(reading, cause)
      return taken(reading)
    },
  }
}

function begin(options: EventStreamOptions): Reading {
  const { call, frame, wire, clock } = options
  const startedAt = clock()
  return {
    ...options,
    reader: wire.reader(frame, call),
    startedAt,
    firstTokenAt: undefined,
    lastTokenAt: startedAt,
    silence: 0,
    events: [],
    isOver: false,
  }
}

function taken(reading: Reading): readonly AttemptEvent[] {
  const { events } = reading
  reading.events = []
  return events
}

function addChunk(reading: Reading, chunk: ChatChunk, weight: number): void {
  const hasToken = isToken(chunk)
  if (hasToken) {
    reading.lastTokenAt = reading.clock()
    reading.firstTokenAt ??= reading.lastTokenAt
    reading.silence = 0
  }
  reading.events.push({ type: 'chunk', chunk, hasToken, weight })
}

/** Some providers send the role at once and think for minutes before the first token. */
function isToken({ choices }: ChatChunk): boolean {
  return choices.some(({ delta }) => Object.keys(delta).some((key) => key !== 'role'))
}

function finish(reading: Reading, cause?: Error): void {
  if (reading.isOver) return
  try {
    const end = reading.reader.end()
    if (end === null) return fail(reading, truncated(reading, cause))
    reading.isOver = true
    reading.events.push({ type: 'finished', event: finishedEvent(reading, end) })
  } catch (error) {
    fail(reading, failureOf(reading, error))
  }
}

/** A `RangeError` is that of JSON which is nested too deeply to be written: the arguments of a call. */
function failureOf(reading: Reading, error: unknown): UpstreamError {
  if (error instanceof UpstreamError) return error
  return error instanceof RangeError
    ? unusableCall(reading.wire.name, 'that is nested too deeply', error)
    : truncated(reading, error)
}

function fail(reading: Reading, error: UpstreamError): void {
  if (reading.isOver) return
  reading.isOver = true
  reading.events.push({ type: 'failed', failure: { error, retry: null } })
}

function finishedEvent(
  reading: Reading,
  { finishReasons, usage, timings }: WireEnd,
): FinishedEvent {
  return {
    type: 'finished',
    finishReasons,
    usage: possibleUsage(reading, usage),
    timings: timings ?? ownTimings(reading),
  }
}

function possibleUsage(
  { call, startedAt, lastTokenAt }: Reading,
  usage: Usage | null,
): Usage | null {
  const { maxTokens, contextLength = Infinity, request } = call
  const choices = request.n ?? 1
  const outputTokens = call.maxBilledOutput ?? maxTokens * choices
  const most = contextLength * choices + outputTokens
  if (usage === null || usage.inputTokens > most || usage.outputTokens > most) return null
  const within = clampUsage(usage, { outputTokens })
  return { ...within, served: { from: startedAt, to: lastTokenAt } }
}

/** From the gateway's clock alone, so that no response mixes two sources. */
function ownTimings({ startedAt, lastTokenAt, firstTokenAt = lastTokenAt }: Reading): Timings {
  return {
    prompt: firstTokenAt - startedAt,
    completion: lastTokenAt - firstTokenAt,
    total: lastTokenAt - startedAt,
  }
}

function truncated({ wire }: Reading, cause?: unknown): UpstreamError {
  return new UpstreamError(`${wire.name} ended its response before it was complete`, {
    code: 'upstream_truncated',
    provider: wire.name,
    cause,
  })
}
