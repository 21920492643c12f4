import { neutralValue } from '../fields/neutral-value.ts'
import { type ChatRequest, defaultTemperature } from './chat-request.ts'

/** A field of a chat request that a model or its provider may not support. */
export type ChatField = Exclude<keyof ChatRequest, 'messages' | 'model' | 'stream'>

/** Whether a field is absent or has the value that requests nothing. */
export function isNeutral(request: ChatRequest, field: ChatField): boolean {
  const value = request[field]
  if (value === undefined || value === neutralValue(field)) return true
  switch (field) {
    // A request with the default is the same as one without a temperature.
    case 'temperature':
      return value === defaultTemperature
    case 'parallel_tool_calls':
      return request.tools === undefined
    case 'tool_choice':
      return value === 'none' && request.tools === undefined
    case 'logit_bias':
      return Object.keys(value).length === 0
    case 'response_format':
      return request.response_format?.type === 'text'
    default:
      return false
  }
}
