import type { ChatChunk } from '@farebox/api'
import type { FinishedEvent } from '../provider/chat-provider.ts'
import type { ClientGonePolicy } from '../provider/client-gone-policy.ts'
import { type Executed, UpstreamError, type UpstreamErrorCode } from '../provider/upstream-error.ts'
import { connectionCode } from '../transport/connection-code.ts'

/** In order: some phases are skipped, and none repeats. */
const phases = ['waiting', 'opened', 'streaming', 'complete', 'over'] as const

/**
 * How far an attempt has come.
 *
 * - `waiting`: for the first event
 * - `opened`: the first event came, perhaps with the role alone
 * - `streaming`: the first token came
 * - `complete`: the response is complete; its connection is still open
 * - `over`: complete, failed, or abandoned by its reader
 */
export type AttemptPhase = (typeof phases)[number]

export type AttemptState = {
  readonly provider: string
  readonly onClientGone: ClientGonePolicy
  readonly phase: AttemptPhase
  /** Every finish reason has arrived: only usage may follow. */
  readonly isInTail: boolean
  /** The client disconnected; the usage is awaited. */
  readonly isDraining: boolean
  readonly failure: AttemptFailure | null
}

export type AttemptTimeout = 'firstToken' | 'idle' | 'tail' | 'linger'

export type AttemptFailure = { readonly error: UpstreamError; readonly retry: RetryHint }

/** When a failed call may be sent again; null unless the provider provably did nothing. */
export type RetryHint = { readonly retryAfter: number | null } | null

/** `weight` is the length of the event that the chunk came in, in characters. */
type ChunkRead = {
  readonly type: 'chunk'
  readonly chunk: ChatChunk
  readonly hasToken: boolean
  readonly weight: number
}

export type AttemptEvent =
  | ChunkRead
  | { readonly type: 'finish_reasons_known' }
  | { readonly type: 'finished'; readonly event: FinishedEvent }
  | { readonly type: 'failed'; readonly failure: AttemptFailure }
  /** `unsent` means that provably no byte of the request was written. */
  | {
      readonly type: 'connection_failed'
      readonly cause: Error
      readonly progress: 'unsent' | 'sent'
    }
  | { readonly type: 'not_called' }
  | { readonly type: 'client_disconnected' }
  | { readonly type: 'deadline_elapsed' }
  | { readonly type: 'total_elapsed' }
  /** The time for the call elapsed, and some of it the provider waited for the client. */
  | { readonly type: 'reader_too_slow' }
  /** The gateway stops. */
  | { readonly type: 'stopped' }
  /** The reader left, or the connection ended after the response. */
  | { readonly type: 'closed' }

export function newAttempt(provider: string, onClientGone: ClientGonePolicy): AttemptState {
  return {
    provider,
    onClientGone,
    phase: 'waiting',
    isInTail: false,
    isDraining: false,
    failure: null,
  }
}

/** The timeout that runs in a state; null when none does. */
export function timeoutOf({ phase, isInTail }: AttemptState): AttemptTimeout | null {
  switch (phase) {
    case 'waiting':
    case 'opened':
      return isInTail ? 'tail' : 'firstToken'
    case 'streaming':
      return isInTail ? 'tail' : 'idle'
    case 'complete':
      return 'linger'
    case 'over':
      return null
  }
}

/**
 * The state of an attempt after an event: the whole state machine. A complete attempt cannot fail.
 */
export function attempt(state: AttemptState, event: AttemptEvent): AttemptState {
  switch (event.type) {
    case 'chunk':
      return advanced(state, event.hasToken ? 'streaming' : 'opened')
    case 'finish_reasons_known':
      return state.isInTail ? state : { ...state, isInTail: true }
    case 'finished':
      return advanced(state, 'complete')
    case 'closed':
      return advanced(state, 'over')
    case 'failed':
      return failed(state, event.failure)
    case 'connection_failed':
      return event.progress === 'unsent'
        ? failedAs(state, { ...unreachable, cause: event.cause }, { retryAfter: null })
        : failedAs(state, { ...connectionClosed, cause: event.cause })
    case 'not_called':
      return failedAs(state, notCalled)
    case 'client_disconnected':
      if (state.onClientGone !== 'drain') return failedAs(state, disconnected)
      return { ...state, isDraining: true }
    case 'deadline_elapsed':
      if (state.phase === 'complete') return advanced(state, 'over')
      return failedAs(state, state.phase === 'streaming' ? stalled : noFirstToken)
    case 'total_elapsed':
      if (state.isDraining) return failedAs(state, disconnected)
      return failedAs(state, state.phase === 'streaming' ? overtime : tooLong)
    case 'reader_too_slow':
      return failedAs(state, tooSlow)
    case 'stopped':
      return failedAs(state, stopped)
  }
}

function advanced(state: AttemptState, phase: AttemptPhase): AttemptState {
  return phases.indexOf(phase) > phases.indexOf(state.phase) ? { ...state, phase } : state
}

function failed(state: AttemptState, failure: AttemptFailure): AttemptState {
  if (state.phase === 'complete' || state.phase === 'over') return state
  return { ...state, phase: 'over', failure }
}

type FailureText = {
  readonly code: UpstreamErrorCode
  /** The text after the provider's name in the message. */
  readonly text: string
  readonly cause?: Error
  readonly executed?: Executed
}

function failedAs(
  state: AttemptState,
  { code, text, cause, executed = 'perhaps' }: FailureText,
  retry: RetryHint = null,
): AttemptState {
  const { provider } = state
  const options = { code, provider, executed, ...(cause !== undefined && { cause }) }
  const message = `${provider} ${text}${connectionCode(cause)}`
  return failed(state, { error: new UpstreamError(message, options), retry })
}

const notCalled: FailureText = {
  code: 'aborted',
  text: 'was not called: the client had disconnected',
  executed: 'no',
}
const disconnected: FailureText = {
  code: 'aborted',
  text: 'was stopped: the client disconnected',
}
const tooSlow: FailureText = {
  code: 'aborted',
  text: 'was stopped: the client read too slowly',
}
const stopped: FailureText = {
  code: 'aborted',
  text: 'was stopped: the gateway is shutting down',
}
const tooLong: FailureText = {
  code: 'upstream_timeout',
  text: 'exceeded the timeout for the call',
}
const overtime: FailureText = {
  ...tooLong,
  code: 'upstream_overtime',
}
const noFirstToken: FailureText = {
  code: 'upstream_timeout',
  text: 'did not send the first token in time',
}
const stalled: FailureText = {
  code: 'upstream_timeout',
  text: 'stopped sending in the middle of its response',
}
const unreachable: FailureText = {
  code: 'upstream_unavailable',
  text: 'could not be reached',
  executed: 'no',
}
const connectionClosed: FailureText = {
  code: 'upstream_unavailable',
  text: 'closed the connection before its response began',
}
