import type { ChatCall } from './chat-provider.ts'
import { UpstreamError } from './upstream-error.ts'

/**
 * Whether a request can have caused its silence: a model reasons unseen, or its provider sends a tool call or JSON
 * only as a whole, or prepares a schema first.
 */
export function isProvokedSilence(
  error: unknown,
  { mayReasonUnseen, request }: Pick<ChatCall, 'mayReasonUnseen' | 'request'>,
): boolean {
  if (!(error instanceof UpstreamError) || error.status !== undefined) return false
  if (error.code !== 'upstream_timeout') return false
  const { tools, response_format: format } = request
  return mayReasonUnseen === true || tools !== undefined || (format?.type ?? 'text') !== 'text'
}
