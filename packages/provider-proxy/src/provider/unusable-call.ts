import { UpstreamError } from './upstream-error.ts'

/** No client can run such a call. */
export function unusableCall(provider: string, flaw: string, cause?: unknown): UpstreamError {
  const message = `${provider} sent a tool call ${flaw}`
  return new UpstreamError(message, { code: 'upstream_unusable', provider, cause })
}
