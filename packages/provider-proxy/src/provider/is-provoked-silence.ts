import type { ChatCall } from './chat-provider.ts'
import { UpstreamError } from './upstream-error.ts'

/** Whether a request can have caused its silence: a model reasons unseen, or writes a whole tool call. */
export function isProvokedSilence(
  error: unknown,
  { mayReasonUnseen, request }: Pick<ChatCall, 'mayReasonUnseen' | 'request'>,
): boolean {
  if (!(error instanceof UpstreamError) || error.status !== undefined) return false
  return (
    error.code === 'upstream_timeout' && (mayReasonUnseen === true || request.tools !== undefined)
  )
}
