import type { ChatRequest } from './chat-request.ts'

/** A field of a chat request that a model or its provider may not support. */
export type ChatField = Exclude<keyof ChatRequest, 'messages' | 'model' | 'stream'>

/** Whether a field is absent or has the value that requests nothing. */
export function isNeutral(request: ChatRequest, field: ChatField): boolean {
  const value = request[field]
  if (value === undefined) return true
  switch (field) {
    case 'n':
    case 'temperature':
    case 'top_p':
    case 'repetition_penalty':
      return value === 1
    case 'frequency_penalty':
    case 'presence_penalty':
    case 'top_logprobs':
    case 'top_k':
    case 'min_p':
      return value === 0
    case 'logprobs':
      return value === false
    case 'parallel_tool_calls':
      return value === true || request.tools === undefined
    case 'tool_choice':
      return value === 'auto' || (value === 'none' && request.tools === undefined)
    case 'verbosity':
      return value === 'medium'
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
