import { type ChatRequest, isEmptyMessage } from '@farebox/api'

/**
 * The request as it is counted and forwarded. Answers without text and tool calls are left out:
 * they say nothing, and several providers reject them.
 */
export function forwardedRequest(request: ChatRequest): ChatRequest {
  return { ...request, messages: request.messages.filter((message) => !isEmptyMessage(message)) }
}
