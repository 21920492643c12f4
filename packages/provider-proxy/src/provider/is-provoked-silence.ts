import type { ChatCall } from './chat-provider.ts'
import { UpstreamError } from './upstream-error.ts'

/**
 * Whether a call failed by a silence that its request can cause: a model reasons unseen, or writes a tool
 * call that comes as a whole.
 */
export function isProvokedSilence(
  error: unknown,
  { mayReasonUnseen, request }: Pick<ChatCall, 'mayReasonUnseen' | 'request'>,
): boolean {
  const isSilence =
    error instanceof UpstreamError &&
    error.code === 'upstream_timeout' &&
    error.status === undefined
  return isSilence && (mayReasonUnseen === true || request.tools !== undefined)
}
