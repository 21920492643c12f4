import type { IncomingHttpHeaders } from 'node:http'
import type { ChatCall, ChatEvent, ChatStream } from '../provider/chat-provider.ts'
import type { Clock } from '../transport/clock.ts'
import { createDeadline, type Deadline } from '../transport/deadline.ts'
import type { Timeouts } from '../transport/timeouts.ts'
import type { Exchange, Receiver, Transport } from '../transport/upstream-transport.ts'
import type { ChatWire, ChunkFrame } from '../wire/chat-wire.ts'
import {
  type AttemptEvent,
  type AttemptFailure,
  type AttemptState,
  attempt,
  newAttempt,
  timeoutOf,
} from './attempt.ts'
import { type BackPressure, createBackPressure } from './back-pressure.ts'
import { createEventQueue, type EventQueue } from './event-queue.ts'
import { createEventStreamBody, type EventStreamBody } from './event-stream-body.ts'
import { createHttpErrorBody, type HttpErrorOptions } from './http-error-body.ts'
import { createNonStreamingBody } from './non-streaming-body.ts'
import type { ResponseBody } from './response-body.ts'

/** What one attempt needs besides the call. */
export type AttemptParts = {
  readonly wire: ChatWire
  readonly transport: Transport
  readonly timeouts: Timeouts
  readonly clock: Clock
  readonly createId: () => string
}

/** How one attempt went. */
export type AttemptOutcome =
  | { readonly status: 'opened'; readonly stream: ChatStream }
  | ({ readonly status: 'failed' } & AttemptFailure)

/** What may wait for a slow reader, in characters of events. */
const maxWaiting = 262_144
/** How long the end of a complete response may hold its connection, in milliseconds. */
const lingerTime = 1_000

/** The state of an attempt, and what acts as it changes. */
type Driver = {
  readonly call: ChatCall
  readonly parts: AttemptParts
  readonly frame: ChunkFrame
  readonly queue: EventQueue<ChatEvent>
  readonly deadline: Deadline
  readonly total: Deadline
  readonly settle: (outcome: AttemptOutcome) => void
  readonly onAbort: () => void
  readonly onStop: () => void
  state: AttemptState
  readonly stream: EventStreamBody
  body: ResponseBody
  exchange: Exchange | undefined
  readonly backPressure: BackPressure
}

/** Sends a call once and settles with the provider's first event or with its failure. */
export function openAttempt(call: ChatCall, parts: AttemptParts): Promise<AttemptOutcome> {
  return new Promise((settle) => {
    const driver = createDriver(call, parts, settle)
    if (call.signal.aborted) return apply(driver, { type: 'not_called' })
    call.signal.addEventListener('abort', driver.onAbort, { once: true })
    call.stop?.addEventListener('abort', driver.onStop, { once: true })
    driver.total.start(parts.timeouts.total, () => apply(driver, totalElapsed(driver)))
    startDeadline(driver)
    driver.exchange = parts.transport.post(parts.wire.request(call), createReceiver(driver))
  })
}

function createDriver(
  call: ChatCall,
  parts: AttemptParts,
  settle: (outcome: AttemptOutcome) => void,
): Driver {
  const { wire, clock, createId, timeouts } = parts
  const created = Math.floor(clock() / 1000)
  const frame = { id: createId(), created, model: call.model, provider: wire.name }
  const stream = createEventStreamBody({ call, frame, wire, clock })
  const driver: Driver = {
    call,
    parts,
    frame,
    queue: createEventQueue<ChatEvent>({
      highWater: maxWaiting,
      onFull() {
        driver.backPressure.begin()
        driver.deadline.hold()
        driver.exchange?.pause()
      },
      onDrained() {
        driver.backPressure.end()
        driver.deadline.touch()
        driver.exchange?.resume()
      },
      onLeave: () => apply(driver, { type: 'closed' }),
    }),
    deadline: createDeadline(),
    total: createDeadline(),
    settle,
    onAbort: () => apply(driver, { type: 'client_disconnected' }),
    onStop: () => apply(driver, { type: 'stopped' }),
    state: newAttempt(wire.name, call.onClientGone ?? wire.onClientGone),
    stream,
    body: stream,
    exchange: undefined,
    backPressure: createBackPressure(clock, timeouts.backPressure),
  }
  return driver
}

/** Time in which the provider waited for the client is not the provider's. */
function totalElapsed({ backPressure }: Driver): AttemptEvent {
  return { type: backPressure.state === 'never' ? 'total_elapsed' : 'reader_too_slow' }
}

/** A provider may close a connection that was not read for a while. */
function brokenOff({ body, backPressure }: Driver, cause: Error): readonly AttemptEvent[] {
  const events = body.end(cause)
  if (backPressure.state === 'never') return events
  return events.map((event) => (event.type === 'failed' ? { type: 'reader_too_slow' } : event))
}

function createReceiver(driver: Driver): Receiver {
  const { stream } = driver
  return {
    head(status, headers) {
      driver.body = bodyOf(stream, { ...driver.parts, status, headers })
    },
    data(bytes) {
      const { state, backPressure } = driver
      const isAwaited = state.phase === 'streaming' && !state.isInTail
      if (isAwaited && backPressure.state !== 'now') driver.deadline.touch()
      applyAll(driver, driver.body.read(bytes))
    },
    end() {
      applyAll(driver, driver.body.end())
      disconnect(driver)
    },
    failed(cause, progress) {
      if (driver.state.phase === 'waiting' && driver.body === stream) {
        apply(driver, { type: 'connection_failed', cause, progress })
      } else applyAll(driver, brokenOff(driver, cause))
      disconnect(driver)
    },
  }
}

/** The connection has ended: there is nothing left to cancel. */
function disconnect(driver: Driver): void {
  driver.exchange = undefined
  apply(driver, { type: 'closed' })
}

function bodyOf(stream: ResponseBody, head: HttpErrorOptions): ResponseBody {
  if (head.status === 200 && hasType(head.headers, 'text/event-stream')) return stream
  const error = createHttpErrorBody(head)
  const isJson = head.status === 200 && hasType(head.headers, 'application/json')
  return isJson ? createNonStreamingBody(stream, error) : error
}

function hasType(headers: IncomingHttpHeaders, type: string): boolean {
  return headers['content-type']?.toLowerCase().startsWith(type) === true
}

function applyAll(driver: Driver, events: readonly AttemptEvent[]): void {
  for (const event of events) apply(driver, event)
}

function apply(driver: Driver, event: AttemptEvent): void {
  const before = driver.state
  driver.state = attempt(before, event)
  if (event.type === 'chunk') driver.queue.push(event, event.weight)
  if (event.type === 'finished') driver.queue.push(event.event, 0)
  if (driver.state !== before) act(driver, before)
}

/** What follows from a change of state. */
function act(driver: Driver, before: AttemptState): void {
  const { state, parts, total } = driver
  if (state.isDraining && !before.isDraining) {
    total.start(parts.timeouts.drain, () => apply(driver, { type: 'total_elapsed' }))
  }
  if (state.phase !== before.phase) enter(driver, before)
  if (timeoutOf(state) !== timeoutOf(before)) startDeadline(driver)
}

function enter(driver: Driver, before: AttemptState): void {
  const { state, queue, exchange } = driver
  if (state.phase === 'over') return close(driver, before)
  if (before.phase === 'waiting') driver.settle({ status: 'opened', stream: streamOf(driver) })
  if (state.phase !== 'complete') return
  queue.end()
  stopTotal(driver)
  // The last bytes are on their way: with them the connection can be used again.
  exchange?.resume()
}

function streamOf({ frame, queue, state, stream, backPressure }: Driver): ChatStream {
  const { onClientGone } = state
  const { usageSoFar } = stream
  const readerTooSlow = backPressure.elapsed
  return { ...frame, events: queue.items, onClientGone, readerTooSlow, usageSoFar }
}

function startDeadline(driver: Driver): void {
  const { call, state, parts, deadline, body, backPressure } = driver
  const timeout = timeoutOf(state)
  if (timeout === null) return
  const timeouts = { ...parts.timeouts, linger: lingerTime }
  const own = timeout === 'firstToken' ? call.firstToken : undefined
  const milliseconds = own ?? timeouts[timeout]
  deadline.start(milliseconds, () => {
    // The usage did not come in time: the response ends without it.
    if (timeout === 'tail') applyAll(driver, body.end())
    else apply(driver, { type: 'deadline_elapsed' })
  })
  // While the provider waits for the client, its time does not count.
  if (timeout !== 'linger' && backPressure.state === 'now') deadline.hold()
}

function stopTotal({ total, call, onAbort, onStop }: Driver): void {
  total.stop()
  call.signal.removeEventListener('abort', onAbort)
  call.stop?.removeEventListener('abort', onStop)
}

function close(driver: Driver, before: AttemptState): void {
  const { deadline, state, exchange, queue, settle } = driver
  deadline.stop()
  driver.backPressure.end()
  stopTotal(driver)
  exchange?.cancel()
  if (state.failure === null) return
  if (before.phase === 'waiting') settle({ status: 'failed', ...state.failure })
  else queue.fail(state.failure.error)
}
