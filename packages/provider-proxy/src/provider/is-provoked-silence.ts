import type { ChatCall } from './chat-provider.ts'
import { UpstreamError } from './upstream-error.ts'

/**
 * Whether a call failed by a silence that its request can cause: a model reasons unseen, or writes a tool
 * call, which some providers send only as a whole. The provider bills what it writes meanwhile.
 */
export function isProvokedSilence(
  error: unknown,
  { mayReasonUnseen, request }: Pick<ChatCall, 'mayReasonUnseen' | 'request'>,
): error is UpstreamError {
  if (!(error instanceof UpstreamError)) return false
  if (error.code !== 'upstream_timeout' || error.status !== undefined) return false
  return mayReasonUnseen === true || request.tools !== undefined
}
