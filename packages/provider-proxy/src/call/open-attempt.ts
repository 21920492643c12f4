import type { IncomingHttpHeaders } from 'node:http'
import type { ChatCall, ChatStream } from '../provider/chat-provider.ts'
import { UpstreamError, type UpstreamErrorCode } from '../provider/upstream-error.ts'
import { createWatch, type Watch } from '../transport/deadline.ts'
import type { Timeouts } from '../transport/timeouts.ts'
import type { Exchange, Receiver, Transport } from '../transport/upstream-transport.ts'
import { type Again, createRefusal, type Refusal } from './http-error-body.ts'
import { createWholeAnswer, type WholeAnswer } from './non-streaming-body.ts'
import { type Answer, type AnswerHooks, type AnswerParts, createAnswer } from './upstream-stream.ts'

/** What one attempt needs beside the call. */
export type AttemptParts = AnswerParts & {
  readonly transport: Transport
  readonly timeouts: Timeouts
}

/** How one attempt went. */
export type Attempt =
  | { readonly status: 'opened'; readonly stream: ChatStream }
  | { readonly status: 'failed'; readonly error: UpstreamError; readonly again: Again }

/** How long the end of a complete answer may hold its connection, in milliseconds. */
const lingerTime = 1_000

/** The course of one attempt: waiting → opened → speaking → complete; over from anywhere. */
type Course = {
  readonly call: ChatCall
  readonly parts: AttemptParts
  readonly watch: Watch
  readonly total: Watch
  readonly settle: (attempt: Attempt) => void
  readonly onAbort: () => void
  phase: 'waiting' | 'opened' | 'speaking' | 'complete' | 'over'
  refusal: Refusal | undefined
  /** A refusal with JSON in it may be a completion in one piece. */
  whole: WholeAnswer | undefined
  exchange: Exchange | undefined
}

/** Sends a call once and settles with the provider's first event or with its failure. */
export function openAttempt(call: ChatCall, parts: AttemptParts): Promise<Attempt> {
  return new Promise((settle) => {
    const course: Course = {
      call,
      parts,
      watch: createWatch(),
      total: createWatch(),
      settle,
      onAbort: () => clientGone(course, answer),
      phase: 'waiting',
      refusal: undefined,
      whole: undefined,
      exchange: undefined,
    }
    const answer = createAnswer(
      call,
      parts,
      answerHooks(course, () => answer),
    )
    start(course, answer)
  })
}

function start(course: Course, answer: Answer): void {
  const { call, parts } = course
  if (call.signal.aborted) return failAs(course, answer, goneBefore)
  call.signal.addEventListener('abort', course.onAbort, { once: true })
  course.total.start(parts.timeouts.total, () => failAs(course, answer, tooLong))
  course.watch.start(parts.timeouts.firstWords, () => failAs(course, answer, noBeginning))
  course.exchange = parts.transport.post(parts.wire.request(call), createReceiver(course, answer))
}

function close(course: Course): void {
  course.phase = 'over'
  course.watch.stop()
  course.total.stop()
  course.call.signal.removeEventListener('abort', course.onAbort)
}

function leave(course: Course): void {
  close(course)
  course.exchange?.cancel()
}

function fail(course: Course, answer: Answer, failure: Failure): void {
  const { phase } = course
  if (phase === 'over') return
  leave(course)
  if (phase === 'waiting') {
    course.settle({ status: 'failed', error: failure.error, again: failure.again ?? null })
  } else answer.fail(failure.error)
}

type Failure = { readonly error: UpstreamError; readonly again?: Again }
type Words = { readonly code: UpstreamErrorCode; readonly says: string; readonly cause?: Error }

const goneBefore: Words = { code: 'aborted', says: 'was not called: the client is gone' }
const gone: Words = { code: 'aborted', says: 'was stopped: the client is gone' }
const tooLong: Words = { code: 'upstream_timeout', says: 'took too long in all' }
const noBeginning: Words = { code: 'upstream_timeout', says: 'did not begin in time' }
const silence: Words = { code: 'upstream_timeout', says: 'fell silent in its answer' }

function failAs(course: Course, answer: Answer, words: Words): void {
  fail(course, answer, { error: say(course, words) })
}

function say(course: Course, { code, says, cause }: Words): UpstreamError {
  const provider = course.parts.wire.name
  const options = { code, provider, ...(cause !== undefined && { cause }) }
  return new UpstreamError(`${provider} ${says}`, options)
}

function clientGone(course: Course, answer: Answer): void {
  const { wire, timeouts } = course.parts
  if (wire.onClientGone !== 'drain') return failAs(course, answer, gone)
  course.total.start(timeouts.drain, () => failAs(course, answer, gone))
}

function answerHooks(course: Course, answer: () => Answer): AnswerHooks {
  const { watch, parts } = course
  return {
    opened(stream) {
      course.phase = 'opened'
      course.settle({ status: 'opened', stream })
    },
    speaking() {
      course.phase = 'speaking'
      watch.start(parts.timeouts.idle, () => failAs(course, answer(), silence))
    },
    answered: () => watch.start(parts.timeouts.tail, () => answer().end()),
    complete() {
      course.phase = 'complete'
      course.total.stop()
      course.call.signal.removeEventListener('abort', course.onAbort)
      // The last bytes are on their way: with them the connection can be used again.
      course.exchange?.resume()
      watch.start(lingerTime, () => leave(course))
    },
    failed: (error) => fail(course, answer(), { error }),
    left: () => leave(course),
    pause() {
      watch.hold()
      course.exchange?.pause()
    },
    resume() {
      watch.touch()
      course.exchange?.resume()
    },
  }
}

function createReceiver(course: Course, answer: Answer): Receiver {
  const { wire, clock } = course.parts

  function refused(refusal: Refusal): void {
    fail(course, answer, refusal.read(clock()))
  }

  return {
    head(status, headers) {
      if (status === 200 && isEventStream(headers)) return
      if (status === 200 && isJson(headers)) course.whole = createWholeAnswer()
      course.refusal = createRefusal(wire, status, headers)
    },
    data(bytes) {
      if (course.phase === 'complete') return
      const { refusal } = course
      if (refusal !== undefined) {
        course.whole?.feed(bytes)
        const isEnough = refusal.feed(bytes) === 'enough' && course.whole === undefined
        if (isEnough) refused(refusal)
        return
      }
      if (course.phase === 'speaking') course.watch.touch()
      answer.feed(bytes)
    },
    end() {
      const events = course.whole?.asEvents()
      if (events !== undefined) answer.feed(events)
      else if (course.refusal !== undefined) return refused(course.refusal)
      if (course.phase !== 'complete') answer.end()
      close(course)
    },
    failed(cause, progress) {
      if (course.refusal !== undefined) return refused(course.refusal)
      if (course.phase !== 'waiting') {
        if (course.phase !== 'complete') answer.end(cause)
        return close(course)
      }
      const error = say(course, { code: 'upstream_unavailable', says: lost[progress], cause })
      fail(course, answer, { error, again: progress === 'unsent' ? { retryAfter: null } : null })
    },
  }
}

const lost = {
  unsent: 'could not be reached',
  sent: 'closed the connection before its answer began',
} as const

function isJson(headers: IncomingHttpHeaders): boolean {
  return headers['content-type']?.startsWith('application/json') === true
}

function isEventStream(headers: IncomingHttpHeaders): boolean {
  return headers['content-type']?.startsWith('text/event-stream') === true
}
