import type { ErrorDetails } from './error-body.ts'
import type { RequestHeaders } from './paid-request.ts'

const maxLength = 256

/** What is wrong with the `X-Replay-Secret` of a request; undefined when it may be used. */
export function invalidReplaySecret(
  headers: RequestHeaders,
): (ErrorDetails & { readonly status: 400; readonly code: 'invalid_field' }) | undefined {
  const { length } = headers.get('x-replay-secret') ?? ''
  if (length <= maxLength) return undefined
  return {
    status: 400,
    code: 'invalid_field',
    param: 'X-Replay-Secret',
    message: `X-Replay-Secret has ${length} characters. Send at most ${maxLength}.`,
  }
}
