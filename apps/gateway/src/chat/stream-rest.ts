import type { ErrorCode } from '@farebox/api'
import type { Usage } from '@farebox/pricing'
import {
  chatUsageJson,
  doneText,
  type RelayOutcome,
  streamErrorText,
} from '@farebox/provider-proxy'
import type { ReplyStream } from '@farebox/wires'
import type { Response } from 'express'

export type StreamClient = {
  readonly response: Pick<Response, 'closed'>
  /** The events of the client's interface; undefined for chat completions. */
  readonly events: ReplyStream | undefined
}

/** The text that ends a relayed stream, with the receipt in its place. */
export function streamRest(
  outcome: RelayOutcome,
  billed: Usage,
  { response, events }: StreamClient,
): (receipt: string) => string {
  switch (outcome.status) {
    case 'complete': {
      const final = outcome.finalChunk(chatUsageJson(billed, outcome.timings))
      if (events === undefined) return (receipt) => final + receipt + doneText
      const end = final + events.end()
      return (receipt) => receipt + end
    }
    case 'truncated': {
      const text = errorText(truncated, events)
      return (receipt) => receipt + text
    }
    case 'client_gone': {
      const text = errorText(disconnectError(outcome.reason, response), events)
      return () => text
    }
  }
}

function errorText(error: StreamError, events: ReplyStream | undefined): string {
  const { message, code } = error
  return (
    events?.fail({ status: 500, ...error }) ??
    streamErrorText({ message, type: 'api_error', code, param: null })
  )
}

function disconnectError(
  reason: 'closed' | 'slow',
  { closed }: Pick<Response, 'closed'>,
): StreamError {
  if (closed) return connectionLost
  return reason === 'slow' ? readTooSlowly : serviceStopped
}

type StreamError = { readonly message: string; readonly code: ErrorCode }

const truncated: StreamError = {
  message:
    'The provider ended the response early. What was delivered is billed, the rest refunded.',
  code: 'upstream_truncated',
}

const connectionLost: StreamError = {
  message: 'The connection was lost. What was delivered is billed, the rest refunded.',
  code: 'upstream_truncated',
}

const readTooSlowly: StreamError = {
  message: 'The client read too slowly. What the provider generated is billed, the rest refunded.',
  code: 'upstream_truncated',
}

const serviceStopped: StreamError = {
  message: 'The service stopped. What was delivered is billed, the rest refunded.',
  code: 'service_stopped',
}
