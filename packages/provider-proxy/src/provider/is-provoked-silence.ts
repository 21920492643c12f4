import type { ChatMessage } from '@farebox/api'
import type { ChatCall } from './chat-provider.ts'
import { UpstreamError } from './upstream-error.ts'

/**
 * Whether a request can have caused its silence: a model reasons unseen, or its provider sends a tool call or JSON
 * only as a whole, prepares a schema first, or waits for an image that it downloads.
 */
export function isProvokedSilence(
  error: unknown,
  { mayReasonUnseen, request }: Pick<ChatCall, 'mayReasonUnseen' | 'request'>,
): boolean {
  if (!(error instanceof UpstreamError) || error.status !== undefined) return false
  if (error.code !== 'upstream_timeout') return false
  const { tools, response_format: format } = request
  const mayBePrepared = tools !== undefined || (format?.type ?? 'text') !== 'text'
  return mayReasonUnseen === true || mayBePrepared || request.messages.some(hasImageUrl)
}

function hasImageUrl({ content }: ChatMessage): boolean {
  if (!Array.isArray(content)) return false
  return content.some(
    (part) => part.type === 'image_url' && part.image_url.url.startsWith('https:'),
  )
}
