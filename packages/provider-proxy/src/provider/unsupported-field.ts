import type { ChatMessage, ChatRequest } from '@farebox/api'

/** A field of a chat request that a provider may not be able to honour. */
export type ChatField = Exclude<keyof ChatRequest, 'messages' | 'model' | 'stream'>

/** What a provider cannot honour, so that such a request is rejected before it is paid. */
export type RequestLimits = {
  readonly unsupported: readonly ChatField[]
  /** Whether messages may carry the `name` of their speaker. */
  readonly messageNames: 'supported' | 'unsupported'
  /** Whether images may be given by an https address. */
  readonly remoteImages: 'supported' | 'unsupported'
}

/**
 * The path of the first field that a provider cannot honour, such as `logit_bias` or
 * `messages[2].name`, or null. A field at its neutral value requests nothing and passes.
 */
export function unsupportedField(limits: RequestLimits, request: ChatRequest): string | null {
  const field = limits.unsupported.find((name) => !isNeutral(request, name))
  if (field !== undefined) return field
  for (const [position, message] of request.messages.entries()) {
    const path = unsupportedInMessage(limits, message)
    if (path !== null) return `messages[${position}].${path}`
  }
  return null
}

function isNeutral(request: ChatRequest, field: ChatField): boolean {
  const value = request[field]
  if (value === undefined) return true
  switch (field) {
    case 'n':
      return value === 1
    case 'frequency_penalty':
    case 'presence_penalty':
    case 'top_logprobs':
      return value === 0
    case 'logprobs':
      return value === false
    case 'parallel_tool_calls':
      return value === true
    case 'reasoning_effort':
      return value === 'none'
    case 'logit_bias':
      return Object.keys(value).length === 0
    case 'response_format':
      return request.response_format?.type === 'text'
    default:
      return false
  }
}

function unsupportedInMessage(limits: RequestLimits, message: ChatMessage): string | null {
  if (limits.messageNames === 'unsupported' && 'name' in message && message.name !== undefined) {
    return 'name'
  }
  if (limits.remoteImages === 'supported' || message.role !== 'user') return null
  if (typeof message.content === 'string') return null
  const at = message.content.findIndex(
    (part) => part.type === 'image_url' && part.image_url.url.startsWith('https:'),
  )
  return at < 0 ? null : `content[${at}].image_url.url`
}
