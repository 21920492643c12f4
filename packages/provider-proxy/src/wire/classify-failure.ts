import { UpstreamError, type UpstreamErrorCode } from '../provider/upstream-error.ts'
import { isRecord, type JsonRecord, recordAt } from './json-reading.ts'

/** What a failure means for the payer, and whether the provider provably did nothing. */
export type FailureKind = {
  readonly code: UpstreamErrorCode
  readonly executed: 'no' | 'perhaps'
}

const unavailable: FailureKind = { code: 'upstream_unavailable', executed: 'perhaps' }
const notExecuted: FailureKind = { code: 'upstream_unavailable', executed: 'no' }
const rejected: FailureKind = { code: 'upstream_rejected', executed: 'perhaps' }
const timedOut: FailureKind = { code: 'upstream_timeout', executed: 'perhaps' }

/** Types, codes and texts for faults of our account, not of the request. */
const ourAccount =
  /billing|quota|credit balance|spend(ing)? limit|usage limits|insufficient_(quota|funds|balance)/i
const moderation = /moderation|guardrail|flagged|content_policy|content_filter/i

/**
 * What an HTTP failure before the first byte means. Type and code in the body outrank the status:
 * a 400 can mean our own spend limit, a 403 the moderation of the prompt.
 */
export function classifyFailure(status: number, body: unknown): FailureKind {
  const text = errorText(body)
  if (status === 400 && ourAccount.test(text)) return unavailable
  if (status === 403 && moderation.test(text)) return rejected
  switch (status) {
    case 429:
    case 503:
    case 529:
      return notExecuted
    case 408:
    case 504:
      return timedOut
    case 401:
    case 402:
    case 403:
    case 404:
      return unavailable
    default:
      return status >= 400 && status < 500 ? rejected : unavailable
  }
}

/** An HTTP failure in our own words: a provider's may hold keys or account names. */
export function httpFailure(provider: string, status: number, kind: FailureKind): UpstreamError {
  return new UpstreamError(`${provider} ${sentence(kind.code)} (HTTP ${status})`, {
    code: kind.code,
    provider,
    status,
  })
}

/** An error object inside a response that began with 200. */
export function errorInside(provider: string, error: unknown): UpstreamError {
  const status = errorStatus(error)
  return new UpstreamError(`${provider} failed in the middle of its response`, {
    code: 'upstream_truncated',
    provider,
    ...(status !== undefined && { status }),
  })
}

/** The HTTP status that an error object names as its code. */
export function errorStatus(error: unknown): number | undefined {
  const code = isRecord(error) ? error['code'] : undefined
  return typeof code === 'number' && code >= 400 && code < 600 ? code : undefined
}

function sentence(code: UpstreamErrorCode): string {
  switch (code) {
    case 'upstream_rejected':
      return 'rejected the request'
    case 'upstream_timeout':
      return 'timed out'
    case 'upstream_unavailable':
      return 'is not available'
    case 'upstream_truncated':
      return 'broke off its response'
    case 'aborted':
      return 'was stopped'
  }
}

function errorText(body: unknown): string {
  if (!isRecord(body)) return ''
  const error: JsonRecord = recordAt(body, 'error') ?? body
  return ['type', 'code', 'message', 'status']
    .map((key) => error[key])
    .filter((value) => typeof value === 'string')
    .join(' ')
    .slice(0, 4096)
}
