import { UpstreamError } from './upstream-error.ts'

/** No client can run a call without a name. */
export function namelessCall(provider: string): UpstreamError {
  return new UpstreamError(`${provider} sent a tool call without a name`, {
    code: 'upstream_unusable',
    provider,
  })
}
