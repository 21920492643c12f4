import { type Executed, UpstreamError, type UpstreamErrorCode } from '../provider/upstream-error.ts'
import { arrayAt, isRecord, recordAt, textAt } from './json-reading.ts'

/** What a failure means for the payer, and whether the provider provably did nothing. */
export type FailureKind = {
  readonly code: UpstreamErrorCode
  readonly executed: Executed
  /** Whether the same provider may accept the call a moment later. */
  readonly passes?: true
  readonly isKeyRejected?: true
  readonly isAccountEmpty?: true
}

const unavailable: FailureKind = { code: 'upstream_unavailable', executed: 'perhaps' }
const busy: FailureKind = { code: 'upstream_unavailable', executed: 'no', passes: true }
/**
 * Rejected before it ran: because of the key, the account's funds or rights, or the model's name.
 */
const turnedAway: FailureKind = { code: 'upstream_unavailable', executed: 'no' }
const keyRejected: FailureKind = { ...turnedAway, isKeyRejected: true }
const outOfFunds: FailureKind = { ...turnedAway, isAccountEmpty: true }
const rejected: FailureKind = { code: 'upstream_rejected', executed: 'perhaps' }
const imageUnreachable: FailureKind = { ...rejected, code: 'upstream_image_unreachable' }
/** https://console.groq.com/docs/errors: the model failed, and the body holds what it wrote. */
const unusable: FailureKind = { code: 'upstream_unusable', executed: 'perhaps' }
const unusableOutput = /^(tool_use|json_validate)_failed$/
const timedOut: FailureKind = { code: 'upstream_timeout', executed: 'perhaps' }

/** Types, codes and texts for faults of our account, not of the request. */
const ourAccount =
  /billing|quota|credit balance|spend(ing)? limit|usage limits|insufficient.?(quota|funds|balance|credits)|api.?key|account .*suspended/i
const wrongKey =
  /(incorrect|invalid|expired|missing|no) api.?key|api.?key (is )?(not valid|invalid|expired)|account .*suspended/i
/** Not OpenRouter's "requires more credits, or fewer max_tokens": it may still serve a smaller call. */
const emptyAccount = /insufficient.?(quota|funds|balance|credits)/i
/** Anthropic reports it with 400. */
const emptyAnthropicAccount = /Your credit balance is too low to access the Anthropic API/
const moderation =
  /moderation|guardrail|flagged|content_policy|content_filter|data_?inspection_?failed/i
const rateLimit = /rate.?limit/i
/** OpenAI's code, and the words of OpenAI, Anthropic, Google and servers of open weights. */
const unreachableImage =
  /invalid_image_url|(timeout|error) while downloading|(unable|failed) to (download|fetch|retrieve) (the |an )?(file|image|media|multimodal)|cannot fetch content from the provided url|disallowed by .{0,40}robots\.txt/i
/** Names and URLs from the request, which say nothing about the failure. */
const fromRequest = /(['"`])[^\s'"`]{1,128}\1|https?:\S+/g
/** How much of an error's text is searched, in characters. */
const maxErrorText = 4096

/**
 * What an HTTP failure before the first byte means. Type and code in the body outrank the status:
 * a 400 can mean a wrong key or our own spend limit, a 403 the moderation of the prompt, a 413 the
 * tokens per minute, a 429 an empty account.
 */
export function classifyFailure(status: number, body: unknown): FailureKind {
  const text = errorText(body)
  if (unreachableImage.test(`${text} ${relayedText(body)}`)) return imageUnreachable
  switch (status) {
    case 400:
    case 412:
      return isUnusableOutput(body) ? unusable : kindOfBadRequest(ownText(body))
    case 403:
      return moderation.test(text) ? rejected : turnedAway
    case 401:
      return keyRejected
    case 402:
      return emptyAccount.test(text) ? outOfFunds : turnedAway
    case 404:
      return turnedAway
    case 408:
    case 504:
      return timedOut
    case 413:
      return rateLimit.test(text) ? busy : rejected
    case 429:
      return emptyAccount.test(text) ? outOfFunds : busy
    case 503:
    case 529:
      return busy
    default:
      return status >= 400 && status < 500 ? rejected : unavailable
  }
}

function kindOfBadRequest(text: string): FailureKind {
  if (wrongKey.test(text)) return keyRejected
  if (emptyAnthropicAccount.test(text)) return outOfFunds
  return ourAccount.test(text) ? turnedAway : rejected
}

function isUnusableOutput(body: unknown): boolean {
  const error = isRecord(body) ? recordAt(body, 'error') : undefined
  return error !== undefined && unusableOutput.test(textAt(error, 'code') ?? '')
}

/** An HTTP failure with our own message: a provider's text may hold keys or account names. */
export function httpFailure(
  provider: string,
  status: number,
  kind: FailureKind & { readonly detail?: string },
): UpstreamError {
  const { code, detail = '' } = kind
  const cause = kind.isAccountEmpty ? ': your account there has no funds left' : ''
  return new UpstreamError(`${provider} ${sentence(code)}${cause} (HTTP ${status}${detail})`, {
    code,
    provider,
    status,
    executed: kind.executed,
    isKeyRejected: kind.isKeyRejected === true,
    isAccountEmpty: kind.isAccountEmpty === true,
  })
}

/**
 * An error object inside a response that began with 200: its key was accepted, and the model may have
 * written what the provider then withheld.
 */
export function errorInside(provider: string, error: unknown): UpstreamError {
  const status = errorStatus(error)
  const named = status === undefined ? '' : ` (HTTP ${status})`
  const { code } = kindInside(status, { error })
  return new UpstreamError(`${provider} failed in the middle of its response${named}`, {
    code: code === 'upstream_rejected' ? 'upstream_withheld' : code,
    provider,
    ...(status !== undefined && { status }),
  })
}

/** Without a status it is a fault of the provider, unless its text names moderation. */
function kindInside(status: number | undefined, body: object): FailureKind {
  if (status !== undefined) return classifyFailure(status, body)
  const text = errorText(body)
  if (unreachableImage.test(text)) return imageUnreachable
  return moderation.test(text) ? rejected : unavailable
}

/** Types that streams name in the place of a status. */
const typeStatuses: ReadonlyMap<unknown, number> = new Map([
  ['invalid_request_error', 400],
  ['rate_limit_error', 429],
  ['timeout_error', 504],
  ['overloaded_error', 529],
])

/** The HTTP status that an error object names. */
export function errorStatus(error: unknown): number | undefined {
  if (!isRecord(error)) return undefined
  return [error['code'], error['status'], error['status_code'], typeStatuses.get(error['type'])]
    .filter((value) => typeof value === 'number')
    .find((value) => value >= 400 && value < 600)
}

function sentence(code: UpstreamErrorCode): string {
  switch (code) {
    case 'upstream_rejected':
      return 'rejected the request'
    case 'upstream_image_unreachable':
      return 'could not download an image of the request'
    case 'upstream_unusable':
      return 'could not use what the model wrote'
    case 'upstream_withheld':
      return 'withheld its response'
    case 'upstream_timeout':
    case 'upstream_overtime':
      return 'timed out'
    case 'upstream_unavailable':
      return 'is not available'
    case 'upstream_truncated':
      return 'broke off its response'
    case 'aborted':
      return 'was stopped'
  }
}

/** What the provider behind OpenRouter wrote. It says nothing about the key that is used there. */
function relayedText(body: unknown): string {
  const error = isRecord(body) ? recordAt(body, 'error') : undefined
  const metadata = error && recordAt(error, 'metadata')
  const raw = (metadata && textAt(metadata, 'raw')) ?? ''
  return raw.slice(0, maxErrorText).replaceAll(fromRequest, '')
}

function errorText(body: unknown): string {
  return errorTexts(body).join(' ').slice(0, maxErrorText).replaceAll(fromRequest, '')
}

/**
 * The texts up to the first quotation mark or colon. What follows may repeat the request, whose names
 * can hold any words: they must not close the provider.
 */
function ownText(body: unknown): string {
  return errorTexts(body)
    .map((text) => text.slice(0, maxErrorText).replace(/['"`:].*/s, ''))
    .join(' ')
}

/**
 * Errors come as an object or as text, under `error` or at the top, from Google in an array, and from
 * Runware in `errors`.
 */
function errorTexts(body: unknown): readonly string[] {
  const first: unknown = Array.isArray(body) ? body[0] : body
  if (!isRecord(first)) return typeof first === 'string' ? [first] : []
  const records = [
    first,
    recordAt(first, 'error') ?? {},
    ...arrayAt(first, 'errors').slice(0, 1).filter(isRecord),
  ]
  return records
    .flatMap((record) =>
      ['type', 'code', 'message', 'status', 'error', 'detail'].map((key) => record[key]),
    )
    .filter((value) => typeof value === 'string')
}
