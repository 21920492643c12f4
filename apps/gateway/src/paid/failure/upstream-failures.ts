import type { UpstreamErrorCode } from '@farebox/provider-proxy'

type Failure = {
  readonly status: 500 | 503
  readonly code:
    | 'upstream_unavailable'
    | 'upstream_rejected'
    | 'upstream_timeout'
    | 'service_stopped'
  readonly text: string
  /** What the caller can do now. */
  readonly advice: string
  /** A request can cause it on purpose, and the provider bills what it did until then, or nothing. */
  readonly mayBeProvoked?: 'unbilled' | 'billed'
}

const tryAgain = 'Send the request again, or choose another model.'

/** How a provider's failure before the first byte is answered. */
export const upstreamFailures: Readonly<Record<UpstreamErrorCode, Failure>> = {
  upstream_unavailable: {
    status: 503,
    code: 'upstream_unavailable',
    text: 'The provider failed',
    advice: tryAgain,
  },
  upstream_rejected: {
    status: 500,
    code: 'upstream_rejected',
    text: 'The provider refused the request',
    advice: 'Change the request, or choose another model.',
    mayBeProvoked: 'unbilled',
  },
  upstream_image_unreachable: {
    status: 500,
    code: 'upstream_rejected',
    text: 'The provider could not download an image of the request',
    advice: 'Check that its URL is public and answers fast, or send the image as a data: URL.',
    mayBeProvoked: 'unbilled',
  },
  upstream_withheld: {
    status: 500,
    code: 'upstream_rejected',
    text: 'The provider refused the request, or withheld its response',
    advice: 'Change the request, or choose another model.',
    mayBeProvoked: 'billed',
  },
  upstream_unusable: {
    status: 503,
    code: 'upstream_unavailable',
    text: 'The model wrote a tool call or JSON that cannot be used',
    advice: tryAgain,
    mayBeProvoked: 'billed',
  },
  upstream_timeout: {
    status: 503,
    code: 'upstream_timeout',
    text: 'The provider did not respond in time',
    advice: tryAgain,
  },
  upstream_overtime: {
    status: 503,
    code: 'upstream_timeout',
    text: 'The provider did not finish in time',
    advice: tryAgain,
    mayBeProvoked: 'billed',
  },
  upstream_truncated: {
    status: 503,
    code: 'upstream_unavailable',
    text: 'The provider broke off its response',
    advice: tryAgain,
  },
  aborted: {
    status: 503,
    code: 'service_stopped',
    text: 'The service stopped before anything was delivered',
    advice: 'Send the request again.',
  },
}
