/**
 * Why a provider's response is missing or incomplete.
 *
 * - `upstream_unavailable`: not the request's fault: 401, 402, 403, 404, 408, 429, 5xx, no
 *   connection, an unreadable response
 * - `upstream_rejected`: the provider rejected the request
 * - `upstream_image_unreachable`: the provider rejected the request because it could not download an
 *   image from its URL
 * - `upstream_unusable`: the model wrote a call or JSON that cannot be used, such as a call without a
 *   name; it may write another when it is asked again
 * - `upstream_withheld`: the provider rejected the request within its response, such as for what the
 *   model had written by then
 * - `upstream_timeout`: no first token or next byte in time
 * - `upstream_overtime`: the response was still arriving, or the images were being made, when the time
 *   for a call was over
 * - `upstream_truncated`: the stream ended before the response was complete, or cannot be read
 * - `aborted`: the call's own signal fired
 */
export type UpstreamErrorCode =
  | 'upstream_unavailable'
  | 'upstream_rejected'
  | 'upstream_image_unreachable'
  | 'upstream_unusable'
  | 'upstream_withheld'
  | 'upstream_timeout'
  | 'upstream_overtime'
  | 'upstream_truncated'
  | 'aborted'

/** Whether a provider may have run a call that failed. `no` is proven: another provider may run it. */
export type Executed = 'no' | 'perhaps'

/**
 * A provider failed. The message is ours, since a provider's text may hold keys or account names.
 */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError'
  readonly code: UpstreamErrorCode
  readonly provider: string
  /** The provider's HTTP status, if there was a response. */
  readonly status: number | undefined
  readonly executed: Executed
  /** The provider rejects the key, or suspended its account: only the operator can fix that. */
  readonly isKeyRejected: boolean
  /** The operator's account with the provider has no funds left. */
  readonly isAccountEmpty: boolean
  constructor(
    message: string,
    options: ErrorOptions & {
      readonly code: UpstreamErrorCode
      readonly provider: string
      readonly status?: number
      /** `perhaps` by default. */
      readonly executed?: Executed
      readonly isKeyRejected?: boolean
      readonly isAccountEmpty?: boolean
    },
  ) {
    super(message, options)
    this.code = options.code
    this.provider = options.provider
    this.status = options.status
    this.executed = options.executed ?? 'perhaps'
    this.isKeyRejected = options.isKeyRejected ?? false
    this.isAccountEmpty = options.isAccountEmpty ?? false
  }
}
