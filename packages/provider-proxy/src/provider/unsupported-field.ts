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
  /** Whether images may ask for a `detail` other than `auto`. */
  readonly imageDetail: 'supported' | 'unsupported'
  /** Whether tools may be `strict`. */
  readonly strictTools: 'supported' | 'unsupported'
}

/**
 * The path of the first field that a provider cannot honour, such as `logit_bias` or
 * `messages[2].name`, or null. A field at its neutral value requests nothing and passes.
 */
export function unsupportedField(limits: RequestLimits, request: ChatRequest): string | null {
  const field = limits.unsupported.find((name) => !isNeutral(request, name))
  if (field !== undefined) return field
  const tool = strictTool(limits, request)
  if (tool !== null) return tool
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

function strictTool({ strictTools }: RequestLimits, { tools = [] }: ChatRequest): string | null {
  if (strictTools === 'supported') return null
  const at = tools.findIndex((tool) => tool.function.strict === true)
  return at < 0 ? null : `tools[${at}].function.strict`
}

function unsupportedInMessage(limits: RequestLimits, message: ChatMessage): string | null {
  if (limits.messageNames === 'unsupported' && 'name' in message && message.name !== undefined) {
    return 'name'
  }
  if (message.role !== 'user' || typeof message.content === 'string') return null
  for (const [at, part] of message.content.entries()) {
    if (part.type !== 'image_url') continue
    const field = unsupportedInImage(limits, part.image_url)
    if (field !== null) return `content[${at}].image_url.${field}`
  }
  return null
}

type Image = { readonly url: string; readonly detail?: string | undefined }

function unsupportedInImage(limits: RequestLimits, { url, detail = 'auto' }: Image): string | null {
  if (limits.remoteImages === 'unsupported' && url.startsWith('https:')) return 'url'
  return limits.imageDetail === 'unsupported' && detail !== 'auto' ? 'detail' : null
}
