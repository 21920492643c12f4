import type { MessagesErrorBody } from '@farebox/api'
import type { WireFailure } from '../wire/wire.ts'

/** An error as Anthropic's clients read it. */
export function messagesErrorBody(failure: WireFailure): MessagesErrorBody {
  const { status, code, message, param, requestId } = failure
  const details = param === 'thread' ? unthreaded : { error_code: code }
  return {
    type: 'error',
    error: { type: errorType(status), message, details },
    ...(requestId !== undefined && { request_id: requestId }),
  }
}

/** On this, the tool runner of Anthropic's client continues without storage on the server. */
const unthreaded = { error_code: 'thread_unsupported_request', unsupported: ['thread'] }

/** The types of Anthropic's published table of errors. */
function errorType(status: number): MessagesErrorBody['error']['type'] {
  switch (status) {
    case 402:
      return 'billing_error'
    case 404:
      return 'not_found_error'
    case 413:
      return 'request_too_large'
    case 429:
      return 'rate_limit_error'
    case 503:
      return 'overloaded_error'
    default:
      return status < 500 ? 'invalid_request_error' : 'api_error'
  }
}
