/**
 * Why a provider's answer did not come, or not to its end.
 *
 * - `upstream_unavailable`: 401, 402, 403, 404, 408, 429, 5xx, no connection, nonsense: not our request's fault
 * - `upstream_rejected`: the provider refused the request as such
 * - `upstream_timeout`: no connection, first byte or next byte in time
 * - `upstream_truncated`: the stream ended or failed before the answer was complete
 * - `aborted`: our own signal fired
 */
export type UpstreamErrorCode =
  | 'upstream_unavailable'
  | 'upstream_rejected'
  | 'upstream_timeout'
  | 'upstream_truncated'
  | 'aborted'

/** A provider failed. The message is ours: a provider's text may hold keys or account names. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError'
  readonly code: UpstreamErrorCode
  readonly provider: string
  /** The provider's HTTP status, where one came. */
  readonly status: number | undefined
  constructor(
    message: string,
    options: ErrorOptions & {
      readonly code: UpstreamErrorCode
      readonly provider: string
      readonly status?: number
    },
  ) {
    super(message, options)
    this.code = options.code
    this.provider = options.provider
    this.status = options.status
  }
}
